"""What a run hands over: a branch, a patch, on request the checkout itself; and a plain folder needs no git."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from agentloop import AlreadySatisfied, Refused, resume, run
from agentloop.core import events as e
from agentloop.host.log import FileLog
from agentloop.wiring.options import Options
from agentloop.wiring.verify import audit
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


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


def refs(repo: Path) -> list[str]:
    return git(repo, "for-each-ref", "--format=%(refname)").splitlines()


def begun(place: Path) -> tuple[Path, dict[str, object], list[str]]:
    """A repository with a staged and an untracked file, its goal, and its refs."""
    repo = repository(place / "repo")
    git(repo, "tag", "v1")
    git(repo, "config", "user.name", "somebody")
    write(repo, {"notes.txt": "untracked", "staged.txt": "kept in the index"})
    git(repo, "add", "staged.txt")
    return repo, yaml.safe_load(GOAL) | {"repo": str(repo)}, refs(repo)


def stop_at(kind: type[e.Event], act: Callable[[], object]) -> Callable[[e.Event], None]:
    """A watch that acts as soon as a record of that kind is on disk."""
    return lambda event: None if not isinstance(event, kind) else (act(), None)[1]


def test_delivery_is_last_and_adds_one_branch_and_nothing_else(tmp_path: Path) -> None:
    """Killed right after the record of success: no branch. Resumed: the branch, bound to run, tree and log; index,
    configuration, HEAD, files and all other refs are byte for byte as they were; once more changes nothing."""
    repo, goal, before = begun(tmp_path)
    runs, still = str(tmp_path / "runs"), fingerprint(repo)
    seen: list[str] = []

    def die() -> None:
        (folder,) = (tmp_path / "runs").iterdir()
        seen.extend(stamped.event.kind for stamped in FileLog.read_only(folder))
        raise Killed

    with pytest.raises(Killed):
        run(goal, runs=runs, dirty=True, watch=stop_at(e.Ended, die))
    assert seen[-1] == "ended"
    assert refs(repo) == before
    assert fingerprint(repo) == still
    (folder,) = (tmp_path / "runs").iterdir()
    done = resume(folder.name, runs=runs)
    assert refs(repo) == sorted([*before, f"refs/heads/{done.branch}"])
    assert fingerprint(repo, branches=False) == still
    commit = git(repo, "rev-parse", done.branch)
    head = json.loads((folder / "result.json").read_text())["head"]
    tree = json.loads((folder / "result.json").read_text())["tree"]
    trailers = git(repo, "log", "-1", "--format=%(trailers:valueonly)", commit).split()
    assert trailers == [done.run, tree, head] == [folder.name, tree, FileLog.read_only(folder).head]
    assert resume(folder.name, runs=runs).branch == done.branch
    assert git(repo, "rev-parse", done.branch) == commit
    assert [str(found) for found in audit(folder, Options()) if not found.ok] == []


def test_a_branch_of_that_name_is_refused_and_the_run_is_satisfied_all_the_same(tmp_path: Path) -> None:
    """Somebody's own branch stays as it is; patch and result are there, and once it is gone the run delivers."""
    repo, goal, before = begun(tmp_path)
    runs = str(tmp_path / "runs")

    def occupy() -> None:
        (folder,) = (tmp_path / "runs").iterdir()
        git(repo, "branch", f"agentloop/{folder.name}", "main")

    with pytest.raises(Refused, match="is there already, and it is not this run's") as refused:
        run(goal, runs=runs, dirty=True, apply=True, watch=stop_at(e.Ended, occupy))
    assert refused.value.code == 2
    (folder,) = (tmp_path / "runs").iterdir()
    name = f"agentloop/{folder.name}"
    assert git(repo, "rev-parse", name) == git(repo, "rev-parse", "main")
    assert "a - b" in (repo / "calc.py").read_text(), "the checkout comes last, so it was not touched"
    kept = json.loads((folder / "result.json").read_text())
    assert (kept["end"], kept["exit"], kept["branch"]) == ("satisfied", 2, "")
    assert "not delivered: the branch" in kept["also"]
    assert "a + b" in (folder / "patch.diff").read_text()
    assert [str(found)[:12] for found in audit(folder, Options()) if not found.ok] == ["NO  branch a"]
    git(repo, "branch", "-D", name)
    assert resume(folder.name, runs=runs, apply=True).branch == name
    assert "a + b" in (repo / "calc.py").read_text()
    assert refs(repo) == sorted([*before, f"refs/heads/{name}"])
