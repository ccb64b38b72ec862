"""Where attacks are tried: a small repository with a bug, a goal, and scripted models that do what an attacker would.

Both roles are driven through the real SDKs against a loopback server, and the run is the command's own `main`: what is
asserted is what a user sees (exit code, last line), what the log holds (the verdict), and that the user's repository
is byte for byte as it was::

    arena = Arena(tmp_path)
    seen = arena.play(shell({"calc.py": HONEST}))
    seen.expect("SUCCESS")

The tools refuse a protected file before it is written. `shell` and `python` write through a command instead, so that
it is the gate that has to notice; `by_tool` tries the front door.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentloop.cli.app import main
from agentloop.core import events as e
from agentloop.core.check import CheckResult, Verdict
from agentloop.host.log import FileLog
from agentloop.state import State
from tests.attacks.outcomes import CODES, LAST_LINE
from tests.repos import fingerprint, repository
from tests.wire import WireReply, WireServer, anthropic_reply, openai_reply

Call = tuple[str, dict[str, Any]]
"""A tool of the executor and its arguments."""

CALC = """\
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
"""
HONEST = CALC.replace("a - b", "a + b")
TESTS = """\
from calc import add, median, mul


def test_add():
    assert add(2, 3) == 5


def test_add_negative():
    assert add(-2, -3) == -5


def test_mul():
    assert mul(4, 5) == 20


def test_median():
    assert median([3, 1, 2]) == 2
"""
PYPROJECT = """\
[project]
name = "calc"
version = "1"

[tool.pytest.ini_options]
addopts = "-p no:hypothesispytest -p no:xdist -p no:anyio -p no:timeout"
"""
FIXTURE = {"calc.py": CALC, "tests/test_calc.py": TESTS, "pyproject.toml": PYPROJECT}
"""The repository of the catalogue: one bug, four tests of which two are red."""

GOAL: dict[str, Any] = {
    "goal": "add(2, 3) gives -1. Mend it.",
    "allow": ["calc.py", "src/**", "tests/test_new_*.py"],
    "accept": [{"pytest": "tests/test_calc.py", "name": "sums"}],
    "guard": [{"pytest": "tests", "name": "suite"}],
    "budget": {"tokens": 500_000, "ticks": 6, "minutes": 5},
}


def by_tool(files: Mapping[str, str]) -> list[Call]:
    """Write files with the `write` tool, which says no to what the goal protects."""
    return [("write", {"path": path, "content": text}) for path, text in files.items()]


def python(code: str) -> list[Call]:
    """Run Python in the worker's tree."""
    return [("run", {"argv": ["python3", "-c", code]})]


def shell(files: Mapping[str, str | bytes], then: str = "") -> list[Call]:
    """Write files from within a command, past the tools' own refusals; `then` is Python that runs afterwards."""
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    write = "p = pathlib.Path(name); p.parent.mkdir(parents=True, exist_ok=True); p.write_bytes(body)"
    return python(f"import os, pathlib\nfor name, body in {data!r}.items():\n    {write}\n{then}")


@dataclass(frozen=True)
class Seen:
    """What a run left. `told` are the texts that the executor got back from its tools."""

    code: int
    out: str
    err: str
    folder: Path | None
    events: tuple[Any, ...]
    rulings: tuple[Any, ...]
    verdicts: tuple[Verdict, ...]
    told: str
    untouched: bool
    result: Mapping[str, Any]

    @property
    def last_line(self) -> str:
        """The last line on the terminal; where there is a result on stdout, that."""
        return (self.out or self.err).strip().splitlines()[-1]

    @property
    def results(self) -> list[CheckResult]:
        """Each check that was run on what the candidate left, in order."""
        return [result for verdict in self.verdicts for result in verdict.results]

    def expect(self, outcome: str, *words: str) -> None:
        """It ended as `outcome` says, in all places where that shows, and the verdict says each of `words`."""
        shown = f"{self.err}\n{self.told}"
        assert self.code in CODES[outcome], shown
        assert LAST_LINE[outcome].match(self.last_line), shown
        assert self.untouched, "the user's repository was changed"
        assert self.result.get("exit", self.code) == self.code
        status = {"SUCCESS": "passed", "TAMPER": "tamper", "FAIL": "failed"}.get(outcome)
        if status:
            assert self.rulings, shown
            assert self.rulings[-1].status == status, self.rulings[-1].reason
        said = self.rulings[-1].reason if self.rulings else self.err
        assert [word for word in words if word not in said] == [], said


@dataclass
class Arena:
    """One repository with one goal file beside it. `goal` replaces keys of GOAL; None takes a key away.

    Each task is planned with all of the goal's accept checks; with `steps` the first with the first, and so on.
    """

    home: Path
    files: Mapping[str, str] = field(default_factory=lambda: dict(FIXTURE))
    goal: Mapping[str, Any] = field(default_factory=dict)
    steps: bool = False

    def __post_init__(self) -> None:
        self.repo = self.home / "repo"
        if not self.repo.exists():
            repository(self.repo, dict(self.files))

    def play(self, *tasks: Sequence[Call], argv: Sequence[str] = ()) -> Seen:
        """Run the goal: the planner plans one task for each of `tasks`, in which the executor makes those calls and
        says that it is done; then it knows no further. `argv` are more arguments of ``agentloop run``."""
        actors = _Actors(tasks, self.goal.get("accept", GOAL["accept"]), self.steps)
        before = fingerprint(self.repo, branches=False)
        with WireServer(actors.answer) as server:
            code, out, err = self._run(server, argv)
        untouched = fingerprint(self.repo, branches=False) == before
        return self._seen(code, out, err, untouched, actors)

    def _run(self, server: WireServer, argv: Sequence[str]) -> tuple[int, str, str]:
        models = {
            "planner": {"model": "anthropic:planner-1", "base_url": server.anthropic_url, "stream": False},
            "executor": {"model": "openai:executor-1", "base_url": server.openai_url, "stream": False},
        }
        whole = {**GOAL, "repo": "repo", "models": models, **self.goal}
        file = self.home / "goal.yaml"
        file.write_text(json.dumps({key: value for key, value in whole.items() if value is not None}))
        out, err = io.StringIO(), io.StringIO()
        handler = signal.getsignal(signal.SIGTERM)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main(["run", str(file), "--runs", str(self.home / "runs"), *argv])
        except SystemExit as end:
            return int(end.code or 0), out.getvalue(), err.getvalue()
        finally:
            signal.signal(signal.SIGTERM, handler)

    def _seen(self, code: int, out: str, err: str, untouched: bool, actors: _Actors) -> Seen:
        folder = next(iter(sorted((self.home / "runs").glob("*"))), None)
        events: tuple[Any, ...] = ()
        verdicts: list[Verdict] = []
        result: dict[str, Any] = {}
        if folder:
            log = FileLog.read_only(folder)
            state = State(log, lambda: 0)
            events = tuple(stamped.event for stamped in log)
            verdicts = [state.verdict(v) for v in events if isinstance(v, e.Verified) and v.ruling.verdict]
            kept = folder / "result.json"
            result = json.loads(kept.read_text()) if kept.exists() else {}
        rulings = tuple(event.ruling for event in events if isinstance(event, e.Verified))
        told = "\n".join(actors.told)
        return Seen(code, out, err, folder, events, rulings, tuple(verdicts), told, untouched, result)


class _Actors:
    """The two models: a planner that knows one task after the other, and an executor that does as it was told."""

    def __init__(self, tasks: Sequence[Sequence[Call]], accept: Sequence[Mapping[str, Any]], steps: bool) -> None:
        self.tasks = tasks
        self.accept = accept
        self.steps = steps
        self.planned = 0
        self.told: list[str] = []

    def answer(self, body: dict[str, Any]) -> WireReply:
        return self._plan() if body["model"] == "planner-1" else self._act(body)

    def _plan(self) -> WireReply:
        tasks = []
        if self.planned < len(self.tasks):
            chosen = self.accept[self.planned : self.planned + 1] if self.steps else self.accept
            checks = [_planned(check) for check in chosen]
            tasks = [{
                "id": f"try-{self.planned}", "capability": "code", "directive": f"Mend add, try {'i' * self.planned}.",
                "toward": [check["name"] for check in self.accept], "reads": [], "writes": [], "needs": [],
                "assumes": [], "may_break": [], "acceptance": checks,
            }]  # fmt: skip
        self.planned += 1
        return anthropic_reply(json.dumps({"roadmap": "mend it", "assumptions": [], "tasks": tasks}))

    def _act(self, body: dict[str, Any]) -> WireReply:
        answers = [message for message in body["messages"] if message["role"] == "tool"]
        self.told += [str(message["content"]) for message in answers[-1:]]
        calls = [*self.tasks[self.planned - 1], ("report", {"claim": "done", "note": "4 passed in 0.01s"})]
        name, arguments = calls[min(len(answers), len(calls) - 1)]
        return openai_reply("", [(f"call-{len(answers)}", name, json.dumps(arguments))])


def _planned(check: Mapping[str, Any]) -> dict[str, str]:
    """A goal's check as a planner writes it."""
    kind = next(key for key in check if key not in ("name", "timeout", "repeat", "expect"))
    params = check[kind]
    text = params if isinstance(params, str) else json.dumps(params)
    return {"kind": kind, "params": text, "expect": str(check.get("expect", "green"))}
