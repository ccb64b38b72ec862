"""Bad input gets one clear message with the place and the remedy, its exit code, and an untouched repository."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repos import CALC, GOAL, fingerprint, git, repository, write

AGENTLOOP = (sys.executable, "-m", "agentloop")


def agentloop(folder: Path, *argv: str, runs: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, its runs beside the repository."""
    env = {**os.environ, "XDG_STATE_HOME": str(runs or folder.parent / "state")}
    return subprocess.run([*AGENTLOOP, *argv], cwd=folder, env=env, capture_output=True, text=True, timeout=100)


def refused(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """It ended with `code`, said each of `words` on stderr, nothing on stdout, and showed no traceback."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


GOALS: dict[str, tuple[bytes | None, tuple[str, ...]]] = {
    "missing": (None, ("goal.yaml", "agentloop init")),
    "empty": (b"", ("goal.yaml", "empty")),
    "not yaml": (b"goal: [unclosed\n", ("goal.yaml:",)),
    "a list": (b"- goal: x\n", ("goal.yaml:1:1", "map")),
    "too large": (b"# " + b"x" * 300 * 1024, ("300", "256 KiB")),
    "duplicate key": (GOAL.encode() + b"goal: again\n", ("goal.yaml:8:1", "duplicate", "line 1")),
    "alias": (GOAL.replace("goal: add", "goal: &a add").encode() + b"hint: *a\n", ("goal.yaml:1", "goal.yaml:8")),
    "unknown key": (GOAL.encode() + b"acept: []\n", ("goal.yaml:8:1", "'acept'", "'accept'")),
    "wrong type": (GOAL.replace("9, ", "nine, ").encode(), ("goal.yaml:7:", "ticks", "nine")),
    "impossible budget": (GOAL.replace("ticks: 9", "ticks: 0").encode(), ("goal.yaml:7:", "ticks")),
    "escaping path": (GOAL.replace('"calc.py"', '"../calc.py"').encode(), ("goal.yaml:2:", "../calc.py")),
    "not available": (GOAL.encode() + b"approve: [code]\n", ("goal.yaml:8:1", "approve", "not available yet")),
    "unknown command": (
        GOAL.replace("pytest: tests/test_add.py", "run: no-such-program --check").encode(),
        ("no-such-program", "agentloop check"),
    ),
    "no such test file": (GOAL.replace("test_add.py", "test_ad.py").encode(), ("tests/test_ad.py", "new_test")),
    "cannot fail": (GOAL.replace("pytest: tests/test_add.py", 'run: "true"').encode(), ("goal.yaml:4:", "can't fail")),
    "all green": (GOAL.replace("test_add.py", "test_mul.py").encode(), ("already_satisfied",)),
    "guards nothing": (
        GOAL.replace("guard:\n  - pytest: tests", "guard:\n  - run: exit 3").encode(),
        ("guards nothing",),
    ),
}


@pytest.mark.parametrize("name", GOALS)
def test_a_bad_goal_file_is_refused(name: str, tmp_path: Path) -> None:
    """Exit 2, the place, what is wrong and what would be right; nothing in the repository is different."""
    text, words = GOALS[name]
    repo = repository(tmp_path / "repo")
    if text is not None:
        (repo / "goal.yaml").write_bytes(text)
    before = fingerprint(repo)
    refused(agentloop(repo, "run"), 2, *words)
    assert fingerprint(repo) == before


def _unborn(folder: Path) -> Path:
    return repository(folder, commit=False)


def _bare(folder: Path) -> Path:
    git(repository(folder.parent / "source").parent, "clone", "-q", "--bare", "source", folder.name)
    return folder


def _merging(folder: Path) -> Path:
    repo = repository(folder)
    git(repo, "checkout", "-q", "-b", "side")
    write(repo, {"calc.py": "x = 1\n"})
    git(repo, "commit", "-qam", "side")
    git(repo, "checkout", "-q", "main")
    write(repo, {"calc.py": "x = 2\n"})
    git(repo, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "merge", "-q", "side")
    return repo


def _submodule(folder: Path) -> Path:
    other = repository(folder.parent / "other")
    repo = repository(folder)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "vendored")
    git(repo, "commit", "-qm", "vendored")
    return repo


def _dirty(folder: Path) -> Path:
    repo = repository(folder)
    write(repo, {"calc.py": CALC["calc.py"] + "\n# mine\n"})
    return repo


def _plain(folder: Path) -> Path:
    write(folder, CALC)
    return folder


STARTS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "without commits": (_unborn, ("no commit",)),
    "bare": (_bare, ("bare",)),
    "in the middle of a merge": (_merging, ("merge",)),
    "with submodules": (_submodule, ("vendored", "submodule")),
    "with uncommitted changes": (_dirty, ("calc.py", "--dirty")),
    "not a repository": (_plain, ("not a git repository", "copy")),
}


@pytest.mark.parametrize("name", STARTS)
def test_a_repository_that_is_not_ready_is_refused(name: str, tmp_path: Path) -> None:
    """Exit 2 with what was found and what to do; the repository is as it was to the byte."""
    make, words = STARTS[name]
    repo = make(tmp_path / "repo")
    goal = tmp_path / "goal.yaml"
    goal.write_text(GOAL.replace("allow:", "repo: repo\nallow:"))
    before = fingerprint(repo)
    refused(agentloop(tmp_path, "run", "goal.yaml"), 2, *words)
    assert fingerprint(repo) == before


def test_usage_errors_exit_2(tmp_path: Path) -> None:
    """An unknown option and an unknown command are named, with exit 2."""
    refused(agentloop(tmp_path, "run", "--fast"), 2, "--fast")
    refused(agentloop(tmp_path, "rum"), 2, "rum")


def test_an_unknown_run_is_refused(tmp_path: Path) -> None:
    """`show` and `resume` name the folder they looked in."""
    for command in ("show", "resume"):
        refused(agentloop(tmp_path, command, "nope", "--runs", str(tmp_path)), 2, "'nope'", str(tmp_path))


def test_a_demanded_level_that_is_not_there_is_exit_15(tmp_path: Path) -> None:
    """No silent plain run: a PATH without bubblewrap does not matter, a missing level does."""
    repo = repository(tmp_path / "repo")
    (repo / "goal.yaml").write_text(GOAL + "sandbox: nothing\n")
    refused(agentloop(repo, "run"), 2, "goal.yaml:8:", "nothing")
