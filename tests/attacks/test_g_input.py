"""Group G: goal files and plans that are malformed, boundless or mean something else than they seem to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.plan_rules import plan_problems
from agentloop.core.plan_schema import read_plan
from agentloop.errors import GoalFileError
from agentloop.wiring.goalfile import load_goal
from tests.attacks.arena import HONEST, Arena, shell
from tests.attacks.attack import Attack
from tests.core.test_plan_rules import CATALOGUE
from tests.repos import GOAL

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 10))
GOALS: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "G1": (GOAL + "sandbox: full\nsandbox: none\n", ("goal.yaml:9:1", "duplicate key 'sandbox'", "line 8")),
    "G1-nested": (GOAL + "models: {planner: a:b, planner: c:d}\n", ("goal.yaml:8:", "duplicate key 'planner'")),
    "G2-bomb": (GOAL + BOMB, ("aliases are not allowed", "anchors are not allowed")),
    "G2-self": (GOAL + "evidence: &a [*a]\n", ("anchors are not allowed",)),
    "G2-deep": (GOAL + "evidence: " + "[" * 2_000 + "]" * 2_000 + "\n", ("levels deep",)),
    "G2-large": (GOAL + "# " + "x" * 300_000, ("256 KiB",)),
    "G2-merge": (GOAL + "budget:\n  <<: {ticks: 1}\n", ("merge keys",)),
    "G2-tag": (GOAL + "hint: !!python/object/apply:os.system [id]\n", ("tags are not allowed",)),
    "G3-no": (GOAL + "no: 1\n", ("unknown key 'no'",)),
    "G3-true": (GOAL + "true: x\n", ("unknown key 'true'",)),
    "G3-float": (GOAL.replace("ticks: 9", "ticks: 3.10"), ("ticks", "3.10")),
    "G3-time": (GOAL.replace("ticks: 9", "ticks: 22:30"), ("ticks", "22:30")),
    "G3-octal": (GOAL.replace("ticks: 9", "ticks: 0123"), ("ticks", "0123")),
    "G3-date": (GOAL.replace("ticks: 9", "ticks: 2026-12-01"), ("ticks", "2026-12-01")),
    "G3-empty": (GOAL.replace("allow: [\"calc.py\"]", "allow:"), ("allow",)),
    "G3-bom": (b"\xef\xbb\xbf" + GOAL.encode(), ("byte order mark",)),
    "G3-nul": (GOAL.encode() + b"hint: a\0b\n", ("control character",)),
    "G3-tab": (GOAL + "budget:\n\tticks: 1\n", ("a tab indents this line",)),
    "G4-everything": (
        GOAL.replace("pytest: tests/test_add.py", "schema: {file: a.json, schema: {}}"),
        ("goal.yaml:4:", "can't fail"),
    ),
    "G5-root": (GOAL.replace('"calc.py"', '"/"'), ("'/'", "out of the repository")),
    "G5-dots": (GOAL.replace('"calc.py"', '"src/../../**"'), ("'src/../../**'", "out of the repository")),
    "G5-no-accept": (GOAL.replace("accept:\n  - pytest: tests/test_add.py\n", ""), ("accept",)),
}  # fmt: skip
SCHEMAS = {
    "everything": "{}", "remote": '{"$ref": "https://example.org/s.json"}', "file": '{"$ref": "file:///etc/passwd"}',
    "true": "true", "nothing asked": '{"title": "x"}',
}  # fmt: skip
TASK = {
    "id": "t", "capability": "code", "directive": "do it", "toward": ["a"], "reads": [], "writes": [], "needs": [],
    "assumes": [], "may_break": [], "acceptance": [{"kind": "fake", "params": "x", "expect": "green"}],
}  # fmt: skip
PLANS: dict[str, tuple[list[dict[str, object]], str]] = {
    "G5-many": ([{**TASK, "id": f"t{n}"} for n in range(10_000)], "10000 tasks; plan one, at most 3"),
    "G5-circle": ([{**TASK, "needs": ["u"]}, {**TASK, "id": "u", "needs": ["t"]}], "does not come before it"),
    "G5-self": ([{**TASK, "needs": ["t"]}], "does not come before it"),
    "G5-twice": ([TASK, TASK], "task id 't' is used twice"),
    "G5-unchecked": ([{**TASK, "acceptance": []}], "no acceptance check"),
    "G5-writes": ([{**TASK, "writes": ["../x", "/etc/passwd"]}], "outside"),
}
CASES = (
    Attack("G1", "a key twice: sandbox full, then none", "REFUSED", "goal file reader", test="test_no_model_is_asked"),
    Attack("G2", "alias bombs, lists in themselves, 2,000 levels, 300 KiB, tags, merge keys", "REFUSED",
           "goal file reader", test="test_a_goal_file_that_is_not_plain_is_refused"),
    Attack("G3", "no, 3.10, 22:30, 0123, dates, nothing; byte order mark, NUL, tab", "REFUSED", "goal file reader",
           test="test_a_goal_file_that_is_not_plain_is_refused"),
    Attack("G4-schema", "a JSON Schema that accepts everything, or lies elsewhere", "REFUSED", "goal file reader",
           test="test_a_schema_that_decides_nothing_is_refused"),
    Attack("G4-json", "NaN, 1e999, 5,000 digits, 10,000 levels in a checked file", "FAIL", "expected ids",
           test="test_json_that_means_nothing_is_not_json"),
    Attack("G5-plan", "10,000 tasks, circles, equal ids, no check, paths that lead out", "FAIL", "plan rules",
           test="test_a_plan_that_is_none_is_refused"),
    Attack("G5-allow", "allow: / or with ..", "REFUSED", "goal file reader",
           test="test_a_goal_file_that_is_not_plain_is_refused"),
)  # fmt: skip


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_file_that_is_not_plain_is_refused(name: str, tmp_path: Path) -> None:
    """Each with its place, within the time that a person waits, and never as something else."""
    text, words = GOALS[name]
    file = tmp_path / "goal.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Exception, match=r"goal\.yaml") as refusal:
        load_goal(file, KINDS)
    assert getattr(refusal.value, "code", None) == 2, refusal.value
    assert [word for word in words if word not in str(refusal.value)] == [], refusal.value


def test_the_plain_goal_is_none_of_these(tmp_path: Path) -> None:
    """The control: without the mistake the same file is read."""
    file = tmp_path / "goal.yaml"
    file.write_text(GOAL)
    assert load_goal(file, KINDS).budget.ticks == 9


def test_no_model_is_asked(tmp_path: Path) -> None:
    """A file that says two things is refused by the command, before anything else, with both lines."""
    arena = Arena(tmp_path)
    seen = arena.play(shell({"calc.py": HONEST}))
    seen.expect("SUCCESS")
    file = tmp_path / "goal.yaml"
    file.write_text(json.dumps(json.loads(file.read_text()))[:-1] + ', "sandbox": "full", "sandbox": "none"}')
    with pytest.raises(GoalFileError, match="duplicate key 'sandbox': it stands on line 1 already"):
        load_goal(file, KINDS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_that_decides_nothing_is_refused(name: str) -> None:
    """Only what can say no, from the file itself."""
    rule = json.loads(SCHEMAS[name])
    assert KINDS["schema"].problems({"file": "a.json", "schema": rule})
    assert not KINDS["schema"].problems({"file": "a.json", "schema": {"type": "object", "required": ["a"]}})


def test_json_that_means_nothing_is_not_json(tmp_path: Path) -> None:
    """No value out of thin air: each is refused as JSON; a plain file, the control, is accepted."""
    accept = [{"schema": {"file": "calc.json", "schema": {"type": "object", "required": ["a"]}}, "name": "sums"}]
    goal = {"allow": ["calc.json"], "accept": accept, "guard": None}
    wrong = ("NaN", "1e999", "9" * 5_000, "[" * 10_000 + "]" * 10_000)
    tasks = [shell({"calc.json": f'{{"a": {text}}}'}) for text in wrong]
    seen = Arena(tmp_path, goal=goal).play(*tasks[:2], shell({"calc.json": '{"a": 1}'}))
    assert [ruling.status for ruling in seen.rulings] == ["failed", "failed", "passed"]
    seen.expect("SUCCESS")


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_that_is_none_is_refused(name: str) -> None:
    """Every problem at once, in words, however long the plan is."""
    tasks, word = PLANS[name]
    plan, problems = read_plan(json.dumps({"roadmap": "", "assumptions": [], "tasks": tasks}), "v1")
    problems = problems or (plan_problems(plan, CATALOGUE) if plan else [])
    assert any(word in problem for problem in problems), problems[:5]
