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
from agentloop.core import events as e
from agentloop.core.events import Event
from agentloop.core.goal import Goal
from agentloop.errors import NoViablePlan, Refused
from agentloop.host.log import FileLog
from agentloop.state import State
from agentloop.wiring.options import Options
from agentloop.wiring.verify import Found, audit, audit_again, audit_claim, audit_log
from tests.repos import CALC, GOAL, git, repository, write


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
    branch = f"branch agentloop/{finished.name}: commit "
    for words in ("head ", "accept pytest: tests/test_add.py: passed, 3 ids", "patch.diff", branch, "again: guard"):
        assert words in said


def _result(folder: Path, **changes: object) -> None:
    kept = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**kept, **changes}))


def _shortened(folder: Path, lost: int) -> None:
    log = folder / "log.al"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-lost]))


def _blob(folder: Path, digest: Callable[[State], str], data: bytes | None = None) -> None:
    state = State(FileLog.read_only(folder), lambda: 0)
    blob = next(path for path in folder.rglob(digest(state)))
    os.chmod(blob, 0o600)
    blob.write_bytes(blob.read_bytes() + b"\n# a little more\n" if data is None else data)


def _flipped(folder: Path) -> None:
    log = folder / "log.al"
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)


def _rewritten(folder: Path, forge: Callable[[Event], Event | None]) -> None:
    """The log written anew with other events, every record bound to the one before as it should be."""
    events = [stamped.event for stamped in FileLog.read_only(folder)]
    (folder / "log.al").unlink()
    with FileLog.create(folder, lambda: 1) as log:
        for event in events:
            if (other := forge(event)) is not None:
                log.append(other)


def _other_branch(folder: Path) -> None:
    """The run's branch, with the same message and trailers but another file; the repository is the run's own copy."""
    repo, name = _repo(folder), f"agentloop/{folder.name}"
    git(repo, "checkout", "-q", name)
    (repo / "calc.py").write_text("def add(a, b):\n    return a + b + 0\n")
    git(repo, "commit", "-q", "-a", "--amend", "--no-edit")
    git(repo, "checkout", "-q", "main")


def _repo(folder: Path) -> Path:
    log = FileLog.read_only(folder)
    began = State(log, lambda: 0).began
    return Path(Goal.model_validate_json(log.get(began.goal_blob)).home)


LIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "another patch": (lambda f: (f / "patch.diff").write_text("nothing"), "patch.diff"),
    "no patch": (lambda f: (f / "patch.diff").unlink(), "patch.diff"),
    "another summary": (lambda f: (f / "summary.md").write_text("all is well"), "summary.md"),
    "another head": (lambda f: _result(f, head="3:" + "0" * 32), "log: "),
    "no result": (lambda f: (f / "result.json").unlink(), "result.json"),
    "no json": (lambda f: (f / "result.json").write_text("["), "result.json"),
    "one record lost": (lambda f: _shortened(f, 1), "log: "),
    "two records lost": (lambda f: _shortened(f, 2), "log: "),
    "a flipped bit": (_flipped, "log: "),
    "another file": (lambda f: _blob(f, lambda s: s.candidate["calc.py"].blob), "log: "),
    "another tree": (lambda f: _blob(f, lambda s: s.folded.candidate), "log: "),
    "another verdict": (lambda f: _blob(f, lambda s: s.folded.accepted[0].ruling.verdict), "log: "),
    "another goal": (lambda f: _blob(f, lambda s: s.began.goal_blob), "log: "),
    "an emptied goal": (lambda f: _blob(f, lambda s: s.began.goal_blob, b"{}"), "log: "),
    "no proof": (lambda f: _rewritten(f, lambda event: None if isinstance(event, e.Checked) else event), "log: "),
    "no task": (lambda f: _rewritten(f, lambda event: None if isinstance(event, e.Planned) else event), "do not fit"),
    "another end": (lambda f: _rewritten(f, _stopped), "end: NoProgress"),
}


def _stopped(event: Event) -> Event:
    return event.model_copy(update={"end": "NoProgress"}) if isinstance(event, e.Ended) else event


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found(copied: Path, name: str) -> None:
    """With the line that says where; damage is an answer too, never a traceback."""
    lie, words = LIES[name]
    lie(copied)
    found = no(list(audit(copied, Options())))
    assert any(words in line for line in found), found


def test_each_field_of_the_result_is_compared(copied: Path) -> None:
    """Whatever is changed, added to or taken away is named; `advice` and `also` are words for people."""
    kept = json.loads((copied / "result.json").read_text())
    for key, value in kept.items():
        if key in ("advice", "also"):
            continue
        other = {str: "another", int: 7, float: 9.5, list: [], dict: {}}[type(value)]
        _result(copied, **{key: other if other != value else [1]})
        named = [line for line in no(list(audit_claim(copied))) if line.startswith("NO  result.json: ")]
        assert any(key in line for line in named), (key, named)
        _result(copied, **{key: value})
    del kept["checks"]
    (copied / "result.json").write_text(json.dumps(kept))
    assert "NO  result.json: checks: not what the log says" in no(list(audit_claim(copied)))


def test_the_branch_is_compared_where_it_can_be(finished: Path) -> None:
    """Another commit is found; a branch or repository that is gone is said, and is no lie."""
    repo, name = _repo(finished), f"agentloop/{finished.name}"
    own = git(repo, "rev-parse", name)
    try:
        _other_branch(finished)
        (line,) = no(list(audit(finished, Options())))
        assert line.startswith(f"NO  branch {name}: commit ")
        assert line.endswith("it holds other files: 'calc.py'")
        git(repo, "branch", "-D", name)
        assert f"ok  branch {name}: not there (any more), so nothing to compare" in map(str, audit_claim(finished))
        repo.rename(repo.with_name("away"))
        said = [str(found) for found in audit_claim(finished)]
        assert any(line.startswith("ok  branch: not compared; ") for line in said), said
    finally:
        repo.with_name("away").rename(repo)
        git(repo, "branch", "-f", name, own)


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
