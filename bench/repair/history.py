"""Makes faulty programs of fix commits: the parent's source with the fix's tests."""

from __future__ import annotations

import io
import subprocess
import tarfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from agentloop.core.screen import Fence, allowed
from bench.repair.case import QUICK, Case
from bench.repair.choose import git, is_test
from bench.repair.engine import opened, outcomes
from bench.repair.meter import busy

FENCE = Fence(("**",))
OPTIONS = f"{QUICK} -o addopts= -o filterwarnings=default -W ignore"
SUITE_SECONDS = 15.0
NAMES = ("test_*.py", "*_test.py", "tests.py")


@dataclass(frozen=True)
class Fix:
    """A fix commit, and the git directory of its repository."""

    repository: str
    commit: str
    folder: str

    @property
    def name(self) -> str:
        """Repository and commit, short."""
        return f"{self.repository} {self.commit[:10]}"


def read(path: Path, mirror: Path) -> list[Fix]:
    """The fixes that a list of `OWNER/NAME COMMIT` lines names; `mirror` holds `OWNER+NAME/repo` or `NAME/.git`."""
    fixes = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            repository, commit = line.split()[:2]
            owner, name = repository.split("/")
            places = (mirror / f"{owner}+{name}" / "repo", mirror / name / ".git")
            folder = next((place for place in places if place.is_dir()), places[0])
            fixes.append(Fix(repository, commit, str(folder)))
    return fixes


def files(fix: Fix, revision: str) -> dict[str, bytes]:
    """All plain files of a revision."""
    argv = ["git", "--git-dir", fix.folder, "archive", revision]
    done = subprocess.run(argv, capture_output=True, check=True)
    found = {}
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in archive:
            if member.isfile() and (data := archive.extractfile(member)):
                found[member.name] = data.read()
    return found


def case(fix: Fix, python: str | None) -> tuple[Case, Case]:
    """The failing state, and the fixed one."""
    after, before = files(fix, fix.commit), files(fix, f"{fix.commit}^")
    changed = git(fix.folder, "diff", "--name-only", "--no-renames", f"{fix.commit}^", fix.commit).splitlines()
    (source,) = [path for path in changed if path.endswith(".py") and not is_test(path)]
    failing = {**after, source: before[source]}
    suite = tuple(path for path in sorted(after) if is_test(path) and any(Path(path).match(name) for name in NAMES))
    tests = tuple(path for path in suite if path in changed)
    pythonpath = " -o pythonpath=src" if any(path.startswith("src/") for path in after) else ""
    made = Case(fix.name, failing, tests, suite, _own, OPTIONS + pythonpath, python)
    return made, replace(made, files=after)


def _own(path: str) -> bool:
    return not is_test(path) and allowed(path, FENCE, True) is None


def usable(fix: Fix, python: str | None) -> tuple[Case | None, str]:
    """The failing state, if tests of it fail that pass with the fix; and else why it is none to measure by."""
    failing, fixed = case(fix, python)
    if not failing.tests:
        return None, "no test file was changed"
    began = time.monotonic()
    with opened(failing) as (benches, tree), benches.open(tree) as bench:
        before = outcomes(bench, failing, failing.suite)
    if time.monotonic() - began > SUITE_SECONDS * busy(1):
        return None, f"its suite takes more than {SUITE_SECONDS:.0f} s"
    with opened(fixed) as (benches, tree), benches.open(tree) as bench:
        after = outcomes(bench, fixed, fixed.suite)
    passed = frozenset(test for test, what in after.items() if what == "passed")
    red = [test for test, what in before.items() if what == "failed" and test in passed]
    if not passed:
        return None, "its suite does not run here"
    if not any(test.split("::")[0] in failing.tests for test in red):
        return None, "no test fails that the fix turns green"
    return replace(failing, known={test: what for test, what in before.items() if test in passed}), ""
