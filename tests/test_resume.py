"""A run survives what happens to its process: killed, interrupted, raced, and its folder damaged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agentloop import LogDamaged, resume
from agentloop.core import events as e
from agentloop.host.log import FileLog
from tests.repos import GOAL, fingerprint, git, repository
from tests.test_incident import GOOD, MEND, SHOP, goal, plan, use
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply

ENVIRON = {"ANTHROPIC_API_KEY": "k1", "OPENAI_API_KEY": "k2"}


def command(folder: Path, *argv: str, **environ: str) -> subprocess.Popen[str]:
    env = {**os.environ, "XDG_STATE_HOME": str(folder.parent / "state"), **environ}
    full = [sys.executable, "-m", "agentloop", *argv]
    pipe = subprocess.PIPE
    return subprocess.Popen(full, cwd=folder, env=env, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def runs(folder: Path) -> list[Path]:
    root = folder.parent / "state" / "agentloop" / "runs"
    return sorted(root.iterdir()) if root.is_dir() else []


def kinds(run: Path) -> list[str]:
    return [stamped.event.kind for stamped in FileLog.read_only(run)]


def until(process: subprocess.Popen[str], word: str) -> str:
    """Read stderr until a line has `word` in it."""
    assert process.stderr
    for line in process.stderr:
        if word in line:
            return line
    raise AssertionError(f"{word!r} was never said")


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    repo = repository(tmp_path / "repo")
    (repo / "goal.yaml").write_text(GOAL)
    return repo


@pytest.mark.parametrize(
    ("number", "code", "moment"),
    [
        pytest.param(signal.SIGINT, 130, "sandbox", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 143, "sandbox", marks=pytest.mark.slow),
        (signal.SIGINT, 130, "repair-1"),
        pytest.param(signal.SIGTERM, 143, "repair-1", marks=pytest.mark.slow),
        (signal.SIGKILL, -9, "repair-1"),
    ],
)
def test_a_stopped_run_goes_on_and_reaches_the_goal(calc: Path, number: int, code: int, moment: str) -> None:
    """Whatever stopped it and when: its exit code is the signal's, `resume` finishes it, the checkout is as it was."""
    before = fingerprint(calc)
    process = command(calc, "run")
    until(process, moment)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert "Traceback" not in said
    assert fingerprint(calc) == before
    (run,) = runs(calc)
    done = command(calc, "resume", run.name)
    out, said = done.communicate(timeout=100)
    assert done.returncode == 0, said
    assert git(calc, "diff", "--name-only", "main", out.strip()) == "calc.py"
    assert kinds(run).count("began") == 1
    assert kinds(run)[-1] == "ended"


@pytest.mark.slow
def test_two_processes_on_one_run(calc: Path) -> None:
    """The second one is told who holds the run: exit 17."""
    process = command(calc, "run")
    until(process, "preflight")
    (run,) = runs(calc)
    second = command(calc, "resume", run.name)
    _, said = second.communicate(timeout=60)
    process.communicate(timeout=100)
    assert second.returncode == 17, said
    assert str(process.pid) in said


def test_a_damaged_log_is_exit_16_with_the_place(calc: Path) -> None:
    """One bit in the middle of the log: no repair, the file and the byte are named, by `show` and by `resume`."""
    command(calc, "run").communicate(timeout=100)
    (run,) = runs(calc)
    log = run / "log.al"
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)
    for name in ("show", "resume"):
        process = command(calc, name, run.name)
        out, said = process.communicate(timeout=60)
        assert process.returncode == 16, said
        assert f"{log}: byte " in said
        assert out == ""
    listed = command(calc, "list")
    out, _ = listed.communicate(timeout=60)
    assert listed.returncode == 0
    assert "log damaged" in out


@pytest.mark.slow
def test_lost_records_of_a_finished_run_are_noticed(calc: Path) -> None:
    """Whole records cut off the end verify as a log, but not against the head in result.json."""
    command(calc, "run").communicate(timeout=100)
    (run,) = runs(calc)
    lines = (run / "log.al").read_bytes().splitlines(keepends=True)
    (run / "log.al").write_bytes(b"".join(lines[:-2]))
    process = command(calc, "show", run.name)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 16, said


def test_a_killed_run_does_not_pay_again(tmp_path: Path) -> None:
    """Killed after any of its replies, a run with models asks each question once in all, but for the one in flight."""
    shop = repository(tmp_path / "repo", {**SHOP, "incident/alert.json": "{}"})
    log_file = tmp_path / "goal.yaml"
    with WireServer() as planner, WireServer() as executor:
        task = json.loads(MEND)["tasks"][0]
        planner.push(anthropic_reply(plan(**{**task, "needs": []})))
        executor.push(
            use(("edit", {"path": "shop/coupons.py", "old": "amount - sum(prices) * coupon", "new": GOOD})),
            use(("read", {"path": "shop/coupons.py"})).but(delay=30),
        )
        models = goal(planner)["models"]
        models["executor"]["base_url"] = executor.openai_url
        log_file.write_text(json.dumps(goal(planner, models=models)))
        process = command(tmp_path, "run", "goal.yaml", "--runs", "runs", **ENVIRON)
        _wait(lambda: len(executor.log) == 2)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        (run,) = (tmp_path / "runs").iterdir()
        asked = [len(planner.log), len(executor.log)]
        executor.push(use(("report", {"claim": "done"})))
        done = resume(run.name, runs=str(tmp_path / "runs"), environ=ENVIRON)
        assert [len(planner.log), len(executor.log)] == [asked[0], asked[1] + 1]
        again = executor.log[-1].body["messages"]
    assert again == executor.log[1].body["messages"]
    assert git(shop, "show", f"{done.branch}:shop/coupons.py").count(GOOD) == 1
    state = [stamped.event for stamped in FileLog.read_only(run)]
    assert sum(isinstance(event, e.Started) for event in state) == 1
    assert sum(isinstance(event, e.ToolRan) for event in state) == 2  # the edit once, and the report


def _wait(ready: Any) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_finished_run_is_not_done_again(calc: Path) -> None:
    """Resuming a run that reached its goal changes nothing and says the same."""
    first, _ = command(calc, "run").communicate(timeout=100)
    (run,) = runs(calc)
    before, head = fingerprint(calc), json.loads((run / "result.json").read_text())["head"]
    done = command(calc, "resume", run.name)
    out, said = done.communicate(timeout=100)
    assert done.returncode == 0, said
    assert out == first
    assert fingerprint(calc) == before
    assert kinds(run).count("planned") == 1
    assert head.partition(":")[0].isdecimal()


def test_a_folder_without_a_log_is_refused(tmp_path: Path) -> None:
    """The library says the same as the command."""
    folder = tmp_path / "runs" / "r1"
    folder.mkdir(parents=True)
    (folder / "log.al").write_bytes(b"nonsense\n")
    with pytest.raises(LogDamaged, match="byte 0"):
        resume("r1", runs=str(tmp_path / "runs"))
