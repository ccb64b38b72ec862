"""A goal file is read strictly: every mistake at once, each with its place and what would be right."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentloop.checks import KINDS
from agentloop.core.goal import Goal
from agentloop.errors import GoalFileError, Refused
from agentloop.wiring.goalfile import (
    goal_from,
    goal_schema,
    goal_schema_text,
    key_table,
    load_goal,
    read_goal,
    template,
)
from agentloop.wiring.goalfile.schema import SHIPPED

GOOD = "goal: x\naccept:\n  - pytest: tests\n"
VALIDATOR = Draft202012Validator(goal_schema())


def read(text: str | bytes) -> Goal:
    data = text.encode() if isinstance(text, str) else text
    return read_goal(data, "goal.yaml", Path("/home/x"), KINDS)


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(GoalFileError) as found:
        read(text)
    return [f"{p.line}:{p.column}: {p.message}" for p in found.value.problems]


MISTAKES = [
    (GOOD + "goal: y\n", "4:1: duplicate key 'goal': it stands on line 1 already"),
    ("goal: &a x\naccept: [{pytest: t}]\n", "1:7: anchor '&a': anchors are not allowed"),
    ("goal: x\nhint: *a\naccept: [{pytest: t}]\n", "not YAML|alias '*a': aliases are not allowed"),
    (GOOD + "hint: !!str 3\n", "4:7: tag 'tag:yaml.org,2002:str': tags are not allowed"),
    (GOOD + "budget:\n  <<: {ticks: 1}\n", "5:3: merge keys (`<<`) are not allowed"),
    (GOOD + "---\ngoal: y\n", "4:1: a second document begins here"),
    ("\ufeff" + GOOD, "1:1: a byte order mark stands first"),
    ("goal: x\naccept:\n\t- pytest: t\n", "3:1: a tab indents this line; use spaces"),
    (GOOD + "hint: a\x07b\n", "4:8: a control character (\\x07)"),
    (b"goal: \xff\n", "1:7: not UTF-8 (byte 0xff)"),
    ("goal: [x\n", "not YAML"),
    ("", "1:1: the file is empty"),
    ("- a\n", "1:1: found a list; a goal file is a map"),
    ("just text\n", "1:1: found 'just text'; a goal file is a map"),
    (GOOD + "acept: []\n", "4:1: unknown key 'acept'; did you mean 'accept'?"),
    ("goal: x\n", "1:1: `accept` is missing"),
    ("accept: [{pytest: t}]\n", "1:1: `goal` is missing"),
    ("goal: x\naccept: []\n", "2:9: 0 items; between 1 and 16 are possible"),
    ("goal: x\naccept: tests\n", "2:9: found 'tests'; a list is right here"),
    ("goal: [x]\naccept: [{pytest: t}]\n", "1:7: found a list; text is right here"),
    ("goal:\naccept: [{pytest: t}]\n", "1:6: found nothing; text is right here"),
    ("goal: 3.10\naccept: [{pytest: t}]\n", "1:7: found '3.10', text is right here; write it in quotes"),
    (
        "goal: no\naccept: [{pytest: t}]\n",
        "1:7: no means different things to different YAML readers; write it in quotes: 'no'",
    ),
    (GOOD + "python: 0123\n", "4:9: 0123 means different things"),
    (GOOD + "hint: 22:30\n", "4:7: 22:30 means different things"),
    (GOOD + "hint: 2024-01-01\n", "4:7: 2024-01-01 means different things"),
    (GOOD + "repo: .\ncopy: x\n", "5:1: `repo` and `copy` exclude each other"),
    (GOOD + "budget: {ticks: 0}\n", "4:17: 0 is not possible; a whole number of at least 1"),
    (GOOD + "budget: {usd: -1}\n", "4:15: -1 is not possible; a number of at least 0"),
    (GOOD + "budget: {ticks: ten}\n", "4:17: found 'ten'; a whole number of at least 1"),
    (GOOD + "budget: {ticks: true}\n", "4:17: found 'true'; a whole number"),
    (GOOD + "budget: {ticks: null}\n", "4:1: nothing limits the run"),
    (GOOD + "budget: {tocks: 3}\n", "4:10: unknown key 'tocks'; did you mean 'ticks'?"),
    (GOOD + "allow: ['../x']\n", "4:9: '../x' leads out of the repository"),
    (GOOD + "allow: ['/etc/**']\n", "4:9: '/etc/**' leads out of the repository"),
    (
        GOOD + "workers: {code: {pattern: react, tools: [read, raed]}}\n",
        "4:48: 'raed' is unknown; did you mean 'read'?",
    ),
    (GOOD + "protect: ['*a*a*a*b']\n", "4:11: '*a*a*a*b': a glob of more than 400 characters or 3 stars"),
    (GOOD + "protect: ['!a']\n", "4:11: '!a': a negation; list what is meant instead"),
    (GOOD + "models: {planner: gpt}\n", "4:19: 'gpt' is not `provider:model`"),
    (GOOD + "models: {planer: 'a:b'}\n", "4:10: 'planer' is unknown; did you mean 'planner'?"),
    (GOOD + "models: {planner: []}\n", "4:19: a list of models holds one or more"),
    (GOOD + "workers: {code: deep}\n", "4:17: 'deep' is not available yet in this version"),
    (GOOD + "sandbox: strong\n", "4:10: 'strong' is unknown; known: full, landlock, external, none"),
    (GOOD + "review: final\n", "4:9: 'final' is not available yet in this version; available: planner, off"),
    (GOOD + "network: host\n", "4:10: 'host' is not available yet"),
    (GOOD + "suspect: maybe\n", "4:10: 'maybe' is unknown; known: warn, fail"),
    (GOOD + "strength: high\n", "4:11: 'high' is unknown; known: exit-code, visible, hidden, out-of-process"),
    (GOOD + "summary: models\n", "4:10: 'models' is unknown; did you mean 'model'?"),
    (GOOD + "planner_examples: 2\n", "4:19: 2 is not possible"),
    *[(GOOD + f"{key}: x\n", f"4:1: `{key}` is not available yet in this version") for key in ("prepare", "approve")],
    ("goal: x\naccept: [{pytst: t}]\n", "2:11: unknown check kind 'pytst'; did you mean 'pytest'?"),
    ("goal: x\naccept: [{evidence: 1}]\n", "2:11: 'evidence' looks at the findings of a task; a goal has none"),
    ("goal: x\naccept: [{pytest: t, run: make}]\n", "2:10: 2 check kinds in one check; exactly one is right"),
    ("goal: x\naccept: [{name: t}]\n", "2:10: 0 check kinds in one check"),
    ("goal: x\naccept: [{run: 'true'}]\n", "2:16: run: "),
    ("goal: x\naccept: [{pytest: t, expect: red}]\n", "2:30: 'red' is unknown; known: green"),
    ("goal: x\naccept: [{pytest: t, timeout: 0}]\n", "2:31: 0 is not possible; a number above 0"),
    (GOOD + "evidence: [{file: a, run: b}]\n", "4:12: one of `text`, `file` and `run` is right"),
    ("goal: x\naccept: " + "[" * 40 + "]" * 40 + "\n", "more than 32 levels deep"),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES, ids=range(len(MISTAKES)))
def test_each_mistake_has_its_place_and_its_remedy(text: str | bytes, said: str) -> None:
    """Line and column of the very value, what was found, and what would be right."""
    found = problems(text)
    assert any(word in problem for problem in found for word in said.split("|")), found


def test_all_mistakes_come_at_once_in_the_order_of_the_lines() -> None:
    """Five mistakes, one message, each with its own line shown."""
    text = "gaol: x\naccept:\n  - pytst: a\n  - pytest: -x\nbudget: {ticks: 0}\nsandbox: strong\n"
    with pytest.raises(GoalFileError) as found:
        read(text)
    lines = [problem.line for problem in found.value.problems]
    assert lines == sorted(lines)
    assert set(lines) == {1, 3, 4, 5, 6}
    assert "goal.yaml:5:17: 0 is not possible" in str(found.value)
    assert "    budget: {ticks: 0}" in str(found.value)


def test_a_file_that_cannot_be_read_is_one_clear_message(tmp_path: Path) -> None:
    """Missing, a folder, and too large."""
    with pytest.raises(Refused, match="agentloop init"):
        load_goal(tmp_path / "none.yaml", KINDS)
    with pytest.raises(Refused, match="is a folder"):
        load_goal(tmp_path, KINDS)
    (tmp_path / "big.yaml").write_bytes(b"#" * 300 * 1024)
    with pytest.raises(Refused, match="at most 256 KiB"):
        load_goal(tmp_path / "big.yaml", KINDS)


WHOLE: dict[str, Any] = {
    "goal": "mend it",
    "accept": [{"pytest": ["tests/a.py", "tests/b.py::test_x"], "name": "a", "timeout": 5, "repeat": 2}],
    "guard": [{"run": "make lint"}, {"contains": {"file": "a.txt", "text": "x"}}],
    "allow": ["src/**"],
    "protect": ["src/secret/**"],
    "unlock": ["tests/old.py"],
    "evidence": ["it began on Monday", {"file": "a.json"}, {"run": "git log -3"}],
    "hint": "look at the cache",
    "budget": {"usd": 2.5, "ticks": 3, "minutes": None, "tokens": 1000, "replans": 2, "tool_calls": 9},
    "stall": 4,
    "models": {
        "planner": "anthropic:a",
        "executor": [
            "openai:b",
            {"model": "openai:c", "base_url": "http://127.0.0.1:1", "price": {"input": 1, "output": 2}},
        ],
    },
    "workers": {"code": {"pattern": "react", "tools": ["read", "report"], "turns": 5}, "shell": "command"},
    "review": "off",
    "sandbox": "full",
    "commands": ["pytest *"],
    "network": "none",
}


def test_a_whole_goal_means_what_it_says() -> None:
    """Every key reaches the Goal; the same data gives the same contract wherever the file lies."""
    goal = goal_from(WHOLE, Path("/a"), KINDS)
    assert goal.budget.usd == 2.5
    assert goal.budget.minutes is None
    assert [model.name for model in goal.models["executor"]] == ["b", "c"]
    assert goal.models["executor"][1].price is not None
    assert goal.workers["shell"].pattern == "command"
    assert goal.accept[0].repeat == 2
    assert [item.text or item.file or item.run for item in goal.evidence] == [
        "it began on Monday",
        "a.json",
        "git log -3",
    ]
    assert goal.digest == goal_from(WHOLE, Path("/b"), KINDS).digest != read(GOOD).digest


def test_the_schema_is_shipped_and_agrees_with_the_reader() -> None:
    """The file in the package is what the code makes; what the reader takes the schema takes."""
    assert SHIPPED.read_text(encoding="utf-8") == goal_schema_text()
    assert json.loads(goal_schema_text()) == goal_schema()
    for sample in (WHOLE, yaml.safe_load(GOOD), yaml.safe_load(template())):
        assert list(VALIDATOR.iter_errors(sample)) == []
    wrong = [{**WHOLE, "acept": []}, {**WHOLE, "accept": []}, {"goal": "x"}, {**WHOLE, "copy": "x", "repo": "y"},
             {**WHOLE, "stall": "three"}, {**WHOLE, "hidden": 7}, {**WHOLE, "review": "final"},
             {**WHOLE, "accept": [{"pytest": "t", "run": "x"}]}, {**WHOLE, "budget": {"ticks": 0}}]  # fmt: skip
    for sample in wrong:
        assert not VALIDATOR.is_valid(sample), sample
        with pytest.raises(GoalFileError):
            goal_from(sample, Path("/a"), KINDS)


def test_the_template_is_a_valid_goal() -> None:
    """What `agentloop init` writes can be run as it stands, and names its schema for editors."""
    assert read(template()).accept[0].kind == "pytest"
    assert template().startswith("# yaml-language-server: $schema=./goal.schema.json\n")


def test_every_key_is_in_the_table() -> None:
    """The docs' table has all keys of the schema, and those that come later."""
    named = {name for name, _, _ in key_table()}
    assert set(goal_schema()["properties"]) <= named
    assert {name for name, _, text in key_table() if "not available yet" in text} == named - set(
        goal_schema()["properties"]
    )


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), st.binary(max_size=100)))
def test_no_bytes_crash_the_reader(data: str | bytes) -> None:
    """Whatever the file holds, it is a goal or a list of problems."""
    _survives(data)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 600), st.text(alphabet="-:[]{}&*!|>'\"#%@`, \n\tabc0", max_size=6))
def test_no_slip_in_a_good_file_crashes_the_reader(place: int, junk: str) -> None:
    """A valid file with something typed into it is a goal or a list of problems."""
    text = yaml.safe_dump(WHOLE)
    _survives(text[:place] + junk + text[place:])


def _survives(data: str | bytes) -> None:
    with contextlib.suppress(GoalFileError):
        read(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
