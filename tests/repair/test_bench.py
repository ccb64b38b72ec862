"""The bench of the repair search: what it chooses, what it counts, and that it sees right and wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.repair.case import Limits
from bench.repair.choose import chosen, fits, is_test
from bench.repair.engine import HERE, mend
from bench.repair.history import Fix, case, usable
from bench.repair.quixbugs_same import INPUTS
from bench.repair.table import percentile
from tests.repos import git, repository

RIGHT = "def area(w, h):\n    return w * h\n"
WRONG = "def area(w, h):\n    return w + h\n"
OLD = "from shape import area\n\n\ndef test_square():\n    assert area(2, 2) == 4\n"
NEW = OLD + "\n\ndef test_strip():\n    assert area(1, 5) == 5\n"


def history(folder: Path) -> Fix:
    """A repository of two commits, the second of which mends a fault."""
    repo = repository(folder, {"shape.py": WRONG, "tests/test_shape.py": OLD})
    (repo / "shape.py").write_text(RIGHT)
    (repo / "tests" / "test_shape.py").write_text(NEW)
    git(repo, "commit", "-q", "-a", "-m", "Fix the area of a strip")
    return Fix("own/shape", git(repo, "rev-parse", "HEAD"), str(repo / ".git"))


def test_commits_are_chosen_by_size() -> None:
    """One source file of at most five lines with its tests; nothing else but texts."""
    test, text = ("30", "0", "tests/test_a.py"), ("9", "9", "CHANGES.rst")
    assert fits([("5", "2", "a.py"), test, text])
    assert not fits([("6", "0", "a.py"), test])
    assert not fits([("1", "6", "a.py"), test])
    assert not fits([("1", "1", "a.py")])
    assert not fits([("1", "1", "a.py"), ("1", "1", "b.py"), test])
    assert not fits([("1", "1", "a.py"), test, ("1", "1", "data.json")])
    assert [is_test(path) for path in ("tests/x.py", "a/test_b.py", "a/contest.py")] == [True, True, False]


def test_a_fix_commit_becomes_a_failing_state(tmp_path: Path) -> None:
    """The parent's source with the fix's tests; only the source may change."""
    fix = history(tmp_path / "repo")
    assert chosen(fix.folder, 9) == [fix.commit]
    failing, fixed = case(fix, None)
    assert failing.files["shape.py"] == WRONG.encode()
    assert failing.files["tests/test_shape.py"] == NEW.encode()
    assert fixed.files["shape.py"] == RIGHT.encode()
    assert failing.tests == failing.suite == ("tests/test_shape.py",)
    assert [path for path in failing.files if failing.allowed(path)] == ["shape.py"]


@pytest.mark.slow
def test_a_fix_commit_is_searched_for(tmp_path: Path) -> None:
    """The whole way: usable, mended, its suite kept, its cost counted."""
    failing, why = usable(history(tmp_path / "repo"), None)
    assert failing is not None, why
    found = mend(failing, Limits(cpu=30.0))
    assert found.held
    assert found.plausible[0].text == RIGHT.encode()
    assert (found.failing, found.broken) == (1, ())
    assert found.cpu > 0.1


def test_a_program_is_compared_with_its_reference(tmp_path: Path) -> None:
    """The same behaviour agrees on all inputs; another one is told with an input."""
    right = "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
    (tmp_path / "right.py").write_text(right)
    (tmp_path / "other.py").write_text("import math\n\n\ndef gcd(a, b):\n    return math.gcd(a, b)\n")
    (tmp_path / "wrong.py").write_text(right.replace("return a", "return a if a != 7 else 8"))
    answers = {}
    for name in ("other", "wrong"):
        argv = [sys.executable, str(HERE / "quixbugs_same.py"), "gcd", f"{name}.py", "right.py"]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)
        answers[name] = json.loads(done.stdout)
    assert answers["other"] == {"agreed": 300, "of": 300, "first": None}
    assert answers["wrong"]["first"].endswith("8 instead of 7")
    assert len(INPUTS) == 40


def test_percentiles_are_of_the_values() -> None:
    """The smallest value that so large a share does not exceed."""
    assert percentile([3.0, 1.0, 2.0], 0.9) == 3.0
    assert percentile([float(n) for n in range(1, 11)], 0.9) == 9.0
    assert percentile([7.0], 0.9) == 7.0
