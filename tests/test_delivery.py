"""What a run hands over: a branch, a patch, on request the checkout itself; and a plain folder needs no git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from agentloop import AlreadySatisfied, run
from tests.repos import CALC, ENV, GOAL, fingerprint, git, repository, write


@pytest.mark.slow
def test_apply_brings_the_change_into_a_dirty_checkout(tmp_path: Path) -> None:
    """`--dirty --apply`: uncommitted work is taken along, and the fix lands beside it; nothing else is touched."""
    repo = repository(tmp_path / "repo")
    mine = CALC["calc.py"] + "\n\ndef mine():\n    return 1\n"
    write(repo, {"calc.py": mine, "notes.txt": "untracked"})
    goal = yaml.safe_load(GOAL) | {"repo": str(repo)}
    done = run(goal, runs=str(tmp_path / "runs"), dirty=True, apply=True)
    assert (repo / "calc.py").read_text() == mine.replace("a - b", "a + b")
    assert (repo / "notes.txt").read_text() == "untracked"
    assert git(repo, "status", "--porcelain") == "M calc.py\n?? notes.txt"
    assert git(repo, "rev-parse", f"{done.branch}~2") == git(repo, "rev-parse", "main")
    trailers = git(repo, "log", "-1", "--format=%(trailers:key=Agentloop-Run,valueonly)", done.branch)
    assert trailers == done.run


@pytest.mark.slow
def test_a_plain_folder_gives_a_patch_and_stays_as_it_was(tmp_path: Path) -> None:
    """`copy:` has no branch; the patch applies to the folder."""
    folder = tmp_path / "plain"
    write(folder, CALC)
    before = fingerprint(folder)
    goal = yaml.safe_load(GOAL) | {"copy": str(folder)}
    done = run(goal, runs=str(tmp_path / "runs"))
    assert done.branch == ""
    assert fingerprint(folder) == before
    subprocess.run(["git", "apply", str(done.patch)], cwd=folder, env=ENV, check=True)
    assert "a + b" in (folder / "calc.py").read_text()


def test_a_goal_that_is_reached_already_is_refused(tmp_path: Path) -> None:
    """Nothing red: exit code 2 with its own name, and no branch."""
    repo = repository(tmp_path / "repo")
    goal = yaml.safe_load(GOAL.replace("test_add.py", "test_mul.py")) | {"repo": str(repo)}
    with pytest.raises(AlreadySatisfied) as refused:
        run(goal, runs=str(tmp_path / "runs"))
    assert refused.value.code == 2
    assert git(repo, "branch", "--list", "agentloop/*") == ""
