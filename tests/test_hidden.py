"""Hidden checks decide, and no model ever sees more of them than that one failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentloop import run
from agentloop.core import events as e
from agentloop.core.fold import HIDDEN_FAILED
from agentloop.errors import NoViablePlan
from agentloop.host.log import FileLog
from agentloop.state import State
from agentloop.wiring.past import account
from agentloop.wiring.verify import audit_claim
from tests.repos import CALC, git, repository, write
from tests.test_incident import check, plan, use
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply

CANARY = "zebra4711"
CHEAT = "return {(2, 3): 5, (-2, -3): -5, (7, 0): 7}.get((a, b), 0)"
HONEST = "return a + b"
HIDDEN = f"""\
- pytest: deep/test_{CANARY}_file.py
  name: {CANARY} by pytest
- io:
    call: calc:add
    cases: {CANARY}_cases.json
  name: {CANARY} by cases
- run: python {CANARY}_script.py
"""
FILES = {
    f"{CANARY}.yaml": HIDDEN,
    f"deep/test_{CANARY}_file.py": (
        f"from calc import add\n\n\ndef test_{CANARY}_id():\n    assert add(20, 3) == 23, '{CANARY} output'\n"
    ),
    f"{CANARY}_cases.json": json.dumps([{"name": f"{CANARY} case", "args": [9, 8], "returns": 17}]),
    f"{CANARY}_script.py": f"from calc import add\nassert add(30, 4) == 34, '{CANARY} said'\n",
}
NEVER = json.dumps({"roadmap": "", "assumptions": [], "tasks": []})


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    write(tmp_path / "secret", FILES)
    return repository(tmp_path / "repo", CALC)


def goal(server: WireServer, executor: WireServer, **more: Any) -> dict[str, Any]:
    return {
        "goal": "add is wrong, mend it",
        "repo": "repo",
        "allow": ["calc.py"],
        "accept": [{"pytest": "tests/test_add.py", "name": "adds"}],
        "hidden": f"secret/{CANARY}.yaml",
        "budget": {"ticks": 6, "minutes": 5, "usd": 1.0},
        "models": {
            "planner": {"model": "anthropic:planner-1", "base_url": server.anthropic_url},
            "executor": {"model": "openai:executor-1", "base_url": executor.openai_url},
        },
        **more,
    }


def start(calc: Path, planner: WireServer, executor: WireServer, **more: Any) -> Any:
    file = calc.parent / "goal.yaml"
    file.write_text(json.dumps(goal(planner, executor, **more)))
    environ = {"ANTHROPIC_API_KEY": "k1", "OPENAI_API_KEY": "k2"}
    return run(file, runs=str(calc.parent / "runs"), environ=environ)


def task(name: str, *checks: dict[str, str], **more: Any) -> str:
    return plan(id=name, capability="code", directive=f"Mend add ({name}).", toward=["adds"],
                acceptance=list(checks), **more)  # fmt: skip


def edit(old: str, new: str) -> list[Any]:
    look = ("run", {"argv": ["find", ".", "..", "-name", "*"]})
    read = ("run", {"argv": ["grep", "-r", "add", "."]})
    return [
        use(("list", {"glob": "**"}), look, read, ("edit", {"path": "calc.py", "old": old, "new": new})),
        use(("report", {"claim": "done", "note": "add works"})),
    ]


VISIBLE = check("pytest", "tests/test_add.py")
OWN = check("run", "python -c 'from calc import add; assert add(100, 1) == 101'")


def test_a_cheat_meets_a_hidden_check_and_the_honest_fix_passes_unseen(calc: Path) -> None:
    """The special case wins the visible tests only; the planner learns that a hidden check failed, and nothing else:
    no request, plan, fact, verdict of a task or tree of a worker holds a trace of its name, ids, files or output."""
    with WireServer() as planner, WireServer() as executor:
        planner.push(*(anthropic_reply(text) for text in (task("first", VISIBLE), task("second", OWN))))
        executor.push(*edit("return a - b", CHEAT), *edit(CHEAT, HONEST))
        done = start(calc, planner, executor)
        bodies = [json.dumps(request.body) for request in (*planner.log, *executor.log)]
        told = json.dumps(planner.log[1].body)
    assert len(bodies) == 6
    assert [body for body in bodies if CANARY in body or "secret" in body] == []
    assert HIDDEN_FAILED in told
    assert git(calc, "show", f"{done.branch}:calc.py").count(HONEST) == 1
    log = FileLog.read_only(done.folder)
    state = State(log, lambda: 0)
    _no_trace(state)
    checked = [stamped.event for stamped in log if isinstance(stamped.event, e.Checked)]
    sizes = [len(event.outcomes) for event in checked]
    assert sizes == [1, 4, 4, 4], "hidden checks are taken only where all others pass"
    assert [outcome.status for outcome in checked[1].outcomes] == ["passed"] + ["failed"] * 3
    kept = json.loads((done.folder / "result.json").read_text())
    strengths = {row["name"]: row["strength"] for row in kept["checks"] if row["role"] == "hidden"}
    assert list(strengths.values()) == ["hidden", "out-of-process", "hidden"]
    assert f"{CANARY} by pytest" in account(done.folder)
    assert CANARY not in str(done.summary)
    assert all(found.ok for found in audit_claim(done.folder))


def _no_trace(state: State) -> None:
    """Nothing that a task's worker or planner could be shown, now or later, holds the canary."""
    for stamped in state.log:
        event = stamped.event
        if not isinstance(event, e.Prepared | e.Began):
            assert CANARY not in event.model_dump_json(), event.kind
        blobs = []
        if isinstance(event, e.Verified):
            blobs = [event.ruling.artifact, event.ruling.verdict]
        elif isinstance(event, e.ToolRan):
            blobs = [event.result, event.tree]
        elif isinstance(event, e.Planned | e.PlanRefused):
            blobs = [event.blob]
        elif isinstance(event, e.Asked):
            blobs = [event.request]
        assert not any(CANARY.encode() in state.log.get(blob) for blob in blobs), event.kind
    assert CANARY not in str(state.summary())


def test_a_cheat_that_stays_ends_loudly_and_no_plan_can_name_a_hidden_check(calc: Path) -> None:
    """Exit 11 with the candidate kept; people read which hidden check failed, the error's summary does not say it."""
    guess = task("guess", check("run", "python -c 'from calc import add; assert add(1, 1) == 2'"))
    guess = guess.replace('"toward": ["adds"]', '"toward": ["hidden check 1"]')
    break_it = task("break", OWN, may_break=[f"{CANARY} by pytest"])
    with WireServer() as planner, WireServer() as executor:
        planner.push(*(anthropic_reply(text) for text in (task("first", VISIBLE), guess, break_it, NEVER)))
        executor.push(*edit("return a - b", CHEAT))
        with pytest.raises(NoViablePlan) as stop:
            start(calc, planner, executor)
        refusals = [json.dumps(request.body["messages"][-1]) for request in planner.log[2:]]
    assert "`toward` names no unmet goal check; unmet are: adds" in refusals[0]
    assert "unknown goal check" in refusals[1]
    assert ("hidden check 1", "failed", "") in stop.value.summary.checks
    (folder,) = (calc.parent / "runs").iterdir()
    assert f"{CANARY} by pytest: failed: 1 of 1 expected tests" in (folder / "summary.md").read_text()
    assert CHEAT in (folder / "patch.diff").read_text()


def test_a_cheat_meets_a_visible_io_check(calc: Path) -> None:
    """Other inputs than those of the tests keep an accept check red, and say which case differs, so the run goes on."""
    io = {"call": "calc:add", "cases": [{"name": "large", "args": [20, 3], "returns": 23}]}
    accept = [{"pytest": "tests/test_add.py", "name": "adds"}, {"io": io, "name": "answers"}]
    with WireServer() as planner, WireServer() as executor:
        planner.push(anthropic_reply(task("first", VISIBLE)), anthropic_reply(NEVER))
        executor.push(*edit("return a - b", CHEAT))
        with pytest.raises(NoViablePlan) as stop:
            start(calc, planner, executor, accept=accept)
        told = json.dumps(planner.log[1].body)
    assert "large: expected 23, found 0" in told
    assert HIDDEN_FAILED not in told
    statuses = [status for _, status, _ in stop.value.summary.checks]
    assert statuses == ["passed", "failed", "not run", "not run", "not run"]


def test_the_search_without_a_model_never_goes_by_a_hidden_check(calc: Path) -> None:
    """The visible tests lead it to a change; the hidden ones see that change first afterwards."""
    file = calc.parent / "goal.yaml"
    made = {key: value for key, value in goal(*[_Nobody()] * 2).items() if key not in ("models", "budget")}
    file.write_text(json.dumps({**made, "budget": {"ticks": 9}}))
    done = run(file, runs=str(calc.parent / "runs"), environ={})
    state = State(FileLog.read_only(done.folder), lambda: 0)
    _no_trace(state)
    assert [check.role for check in state.folded.usable] == ["accept", "hidden", "hidden", "hidden"]


class _Nobody:
    anthropic_url = openai_url = ""
