"""`agentloop verify` derives success again, and each lie about it is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentloop import run
from agentloop.errors import LogDamaged, NoViablePlan, Refused
from agentloop.host.log import FileLog
from agentloop.state import State
from agentloop.wiring.options import Options
from agentloop.wiring.verify import Found, audit_again, audit_claim, audit_log
from tests.repos import CALC, GOAL, repository, write


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that mended CALC without a model."""
    place = tmp_path_factory.mktemp("verify")
    repo = repository(place / "repo")
    (repo / "goal.yaml").write_text(GOAL)
    return run(repo / "goal.yaml", runs=str(place / "runs")).folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A copy of that run to lie in."""
    shutil.copytree(finished, tmp_path / finished.name)
    return tmp_path / finished.name


def no(found: list[Found]) -> list[str]:
    return [str(one) for one in found if not one.ok]


def test_an_honest_run_holds(finished: Path) -> None:
    """Every line is ok, and they name checks, tree and patch."""
    found = [*audit_log(finished), *audit_claim(finished), *audit_again(finished, Options())]
    assert no(found) == []
    said = "\n".join(map(str, found))
    for words in ("head ", "accept pytest: tests/test_add.py: passed, 3 ids", "patch.diff", "again: guard"):
        assert words in said


def _result(folder: Path, **changes: object) -> None:
    kept = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**kept, **changes}))


def _shortened(folder: Path) -> None:
    log = folder / "log.al"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-2]))


LIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "another patch": (lambda f: (f / "patch.diff").write_text("nothing"), "patch.diff"),
    "no patch": (lambda f: (f / "patch.diff").unlink(), "patch.diff"),
    "another tree": (lambda f: _result(f, tree="0" * 64), "result.json"),
    "another head": (lambda f: _result(f, head="3:" + "0" * 32), "log: "),
    "lost records": (_shortened, "log: "),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found(copied: Path, name: str) -> None:
    """With the line that says where."""
    lie, words = LIES[name]
    lie(copied)
    found = no([*audit_log(copied), *audit_claim(copied)])
    assert any(words in line for line in found), found


def test_a_changed_blob_is_damage(copied: Path) -> None:
    """What a hash names is read and compared, whatever the log says."""
    log = FileLog.read_only(copied)
    state = State(log, lambda: 0)
    blob = next(path for path in copied.rglob(state.candidate["calc.py"].blob))
    os.chmod(blob, 0o600)
    blob.write_bytes(blob.read_bytes() + b"\n# a little more\n")
    with pytest.raises(LogDamaged):
        list(audit_claim(copied))


def test_a_run_that_did_not_reach_its_goal_does_not_hold(tmp_path: Path) -> None:
    """Also where its end is an honest one."""
    repo = repository(
        tmp_path / "repo", {**CALC, "calc.py": "def add(a, b):\n    return 17\n\n\ndef mul(a, b):\n    return a * b\n"}
    )
    write(repo, {"goal.yaml": GOAL.replace('allow: ["calc.py"]', 'allow: ["other.py"]')})
    with pytest.raises(NoViablePlan):
        run(repo / "goal.yaml", runs=str(tmp_path / "runs"))
    (folder,) = (tmp_path / "runs").iterdir()
    assert any(line.startswith("NO  end: NoViablePlan") for line in no(list(audit_claim(folder))))


def test_checks_are_taken_again_with_the_means_of_today(copied: Path) -> None:
    """Where these are gone, that is said and nothing is claimed."""
    environ = {**os.environ, "VIRTUAL_ENV": "/nonexistent"}
    with pytest.raises(Refused, match="/nonexistent"):
        list(audit_again(copied, Options(environ=environ)))


def test_the_command_answers_by_its_exit_code(finished: Path, copied: Path) -> None:
    """0 holds, 3 does not, 2 for an unknown run; the log alone is quick."""

    def ask(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "agentloop", "verify", folder.name, "--runs", str(folder.parent), *more]
        return subprocess.run(argv, capture_output=True, text=True, timeout=100)

    good = ask(finished)
    assert (good.returncode, "NO " in good.stdout) == (0, False), good.stderr
    assert len(ask(finished, "--log").stdout.splitlines()) == 2
    (copied / "patch.diff").write_text("")
    bad = ask(copied)
    assert bad.returncode == 3
    assert "NO  patch.diff" in bad.stdout
    assert ask(finished.with_name("nobody")).returncode == 2
