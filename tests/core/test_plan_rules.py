"""A plan is refused for every reason at once, in the planner's own words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.plan_rules import Catalogue, plan_problems
from agentloop.core.plan_schema import PLAN, first_object, read_plan
from agentloop.core.screen import Fence, outside
from agentloop.core.task import Assumption, Plan, Task
from tests.world import spec, task

CATALOGUE = Catalogue(
    version="v1",
    capabilities={"code": "changes files", "research": "finds out"},
    kinds={"fake": "a fake check"},
    problems=lambda kind, params: [] if isinstance(params, str) else ["params must be a path"],
    outside=lambda glob: outside(glob, Fence(("src/**",)), ("src/a.py", "README.md")),
    checks=frozenset({"a", "b"}),
    unmet=frozenset({"a"}),
    known=frozenset({"done-before"}),
    used=frozenset({"done-before", "failed-before"}),
    ticks_left=3,
)


def good(name: str = "fix", **more: Any) -> Task:
    return task(name, "a", **{"toward": ("a",), **more})


def problems(*tasks: Task, catalogue: Catalogue = CATALOGUE, **more: Any) -> list[str]:
    return plan_problems(Plan(tasks=tasks, catalogue=more.pop("pinned", "v1"), **more), catalogue)


def test_a_sound_plan_has_no_problems() -> None:
    """Two tasks, the second needing the first and an assumption of the plan, are fine."""
    second = good(
        "use", needs=("fix", "done-before"), assumes=("h1",), writes=("src/a.py", "src/**"), directive="use it"
    )
    assert problems(good(), second, assumptions=(Assumption(id="h1", text="the log is right"),)) == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (good().model_copy(update={"capability": "coding"}), "unknown capability 'coding'; did you mean 'code'?"),
        (good().model_copy(update={"acceptance": ()}), "no acceptance check"),
        (good(needs=("nobody",)), "`needs` lists ids of tasks (done-before), and is [] where none is needed"),
        (good(directive="`a`"), "the directive only names a check ('`a`'): say in words"),
        (good(needs=("fix",)), "does not come before it"),
        (good(assumes=("h9",)), "unknown assumption 'h9'"),
        (good(may_break=("zzz",)), "unknown goal check 'zzz'"),
        (good(toward=("b",)), "names no unmet goal check; unmet are: a"),
        (good(writes=("README.md",)), "'README.md' is outside the files that may change"),
        (good("failed-before"), "was used before"),
        (good(reads=("[b-a]",)), "is no glob"),
        (good(directive="Fix it. If that fails, retry with sleep."), "control flow in the directive"),
        (good(directive="Patch a.py, otherwise, patch b.py"), "control flow in the directive"),
    ],
)  # fmt: skip
def test_each_mistake_is_named(bad: Task, words: str) -> None:
    """Every kind of mistake has its sentence, with the name that was found and what would be right."""
    assert any(words in problem for problem in problems(bad))


def test_all_problems_come_at_once() -> None:
    """A plan with four mistakes gets four sentences, not the first one."""
    bad = good(needs=("nobody",), toward=(), directive="if it fails, stop").model_copy(update={"capability": "x"})
    assert len(problems(bad)) == 4


def test_four_tasks_are_refused() -> None:
    """At most three tasks a plan, however good they are."""
    tasks = [good(f"t{n}", directive=f"step {chr(97 + n)}") for n in range(4)]
    assert any("4 tasks; plan one" in problem for problem in problems(*tasks))
    assert not any("plan one" in problem for problem in problems(*tasks[:3]))


def test_a_plan_larger_than_the_ticks_left_is_refused() -> None:
    """What the budget can't run is not planned."""
    assert any("1 ticks left" in p for p in problems(good(), good("two"), catalogue=replace(CATALOGUE, ticks_left=1)))


def test_the_same_task_is_not_tried_twice_on_the_same_tree_and_facts() -> None:
    """Another wording of numbers, case and punctuation is the same task; another directive is not."""
    failed = replace(CATALOGUE, failed=frozenset({good(directive="Fix the rounding in total").signature}))
    assert any("already failed" in p for p in problems(good(directive="fix the Rounding, in total!"), catalogue=failed))
    assert problems(good(directive="fix the tax in total"), catalogue=failed) == []


def test_an_earlier_plan_is_refused_in_any_order() -> None:
    """Two alternating plans are noticed by what they hold."""
    one, two = good("one", directive="do one"), good("two", directive="do two")
    known = replace(CATALOGUE, plans=frozenset({Plan(tasks=(one, two)).signature}))
    again = (two.model_copy(update={"id": "x"}), one.model_copy(update={"id": "y"}))
    assert any("an earlier plan" in p for p in problems(*again, catalogue=known))


def wire(**more: Any) -> dict[str, Any]:
    """A plan as a model writes it."""
    entry = {
        "id": "fix", "capability": "code", "directive": "fix it", "toward": ["a"], "reads": [], "writes": [],
        "needs": [], "assumes": [], "may_break": [],
        "acceptance": [{"kind": "contains", "params": '{"file": "a", "text": "x"}', "expect": "green"}],
    }  # fmt: skip
    return {"roadmap": "then rest", "assumptions": [], "tasks": [{**entry, **more}]}


@pytest.mark.parametrize("around", ["{}", "Here is the plan:\n```json\n{}\n```\nDone.", "{{ {} }} no: {}"])
def test_a_plan_is_found_in_prose_and_fences(around: str) -> None:
    """Whatever stands around it, the first whole JSON object is the plan; its parameters arrive as text."""
    text = around.replace("{}", json.dumps(wire())).replace("{{", "(").replace("}}", ")")
    plan, wrong = read_plan(text, "v1")
    assert wrong == []
    assert plan is not None
    assert plan.tasks[0].acceptance[0].params == {"file": "a", "text": "x"}
    assert plan.catalogue == "v1"


def test_what_does_not_fit_the_schema_is_named_by_place() -> None:
    """A wrong type is told with its place in the plan and what was found."""
    plan, wrong = read_plan(json.dumps(wire(toward="a", extra=1)), "v1")
    assert plan is None
    assert any(w.startswith("tasks.0.toward:") for w in wrong)
    assert any(w.startswith("tasks.0.extra:") for w in wrong)
    assert read_plan("I am done, all tests pass.", "v1")[1] == [
        "there is no JSON object in the answer; answer with one JSON object of the schema"
    ]


def test_the_schema_is_closed_at_every_level() -> None:
    """Strict modes want every property required and nothing else allowed."""

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
            for value in node.values():
                walk(value)

    walk(PLAN)


@given(st.text(alphabet='{}[]",: a1', max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    """No answer of a model can crash the planner."""
    plan, wrong = read_plan(text, "v1")
    assert (plan is None) == bool(wrong)
    found = first_object(text)
    assert found is None or isinstance(found, dict)


def test_spec_is_used() -> None:
    """The fixture's acceptance is the fake check on the path it names."""
    assert good().acceptance == (spec("a"),)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (good(writes=("docs/**",)), "'docs/**' is outside the files that may change: src/**"),
        (good(writes=("src/tests/test_old.py",)), "'src/tests/test_old.py' is protected (tests and their fixtures)"),
        (good(expected_cost=2.0), "expected to cost $2, but the budget has $1.0000 left"),
        (good(directive="ask the tool `grepper`"), "unknown tool 'grepper'; did you mean 'grep'?"),
        (good(directive="`jq` it"), "it uses `jq`, which could not be started here"),
        (good(directive="curl x").model_copy(update={"capability": "command"}), "can't be run: curl is not allowed"),
        (good(directive="look again"), "already passed on the present tree: finished work stands"),
    ],
)  # fmt: skip
def test_what_the_state_forbids_is_named(bad: Task, words: str) -> None:
    """Budget, means, fence and finished work each have their sentence."""
    files = ("src/tests/test_old.py",)
    catalogue = replace(
        CATALOGUE,
        capabilities={**CATALOGUE.capabilities, "command": "runs"},
        outside=lambda glob: outside(glob, Fence(("src/**",)), files),
        tools={"grep": "(pattern)"},
        refusal=lambda line: "curl is not allowed" if line.startswith("curl") else None,
        lacking=frozenset({"jq"}),
        finished=frozenset({good(directive="look again").signature}),
        usd_left=1.0,
    )
    assert any(words in problem for problem in problems(bad, catalogue=catalogue))
    assert problems(good(writes=("src/*.py", "src", "src/new/")), catalogue=catalogue) == []


def test_a_plan_for_another_catalogue_is_refused() -> None:
    """It was made for other means; the sentence says which version is right."""
    (problem,) = problems(good(), pinned="v0")
    assert "the plan is for catalogue 'v0'; the present one is 'v1'" in problem
