"""Small git repositories for tests, and what must not change in them."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.com",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.com",
    "GIT_ALLOW_PROTOCOL": "file",
}

QUICK = "[pytest]\naddopts = -p no:hypothesispytest -p no:xdist -p no:anyio -p no:timeout\n"
"""Keeps plugins of our own environment, which are slow to load, out of the small suites of tests."""

CALC = {
    "pytest.ini": QUICK,
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n",
    "tests/test_add.py": (
        "from calc import add\n\n\ndef test_small():\n    assert add(2, 3) == 5\n\n\n"
        "def test_negative():\n    assert add(-2, -3) == -5\n\n\ndef test_zero():\n    assert add(7, 0) == 7\n"
    ),
    "tests/test_mul.py": "from calc import mul\n\n\ndef test_mul():\n    assert mul(4, 5) == 20\n",
}
"""A repository with one bug, three tests of it (two red) and one test that is green."""

GOAL = """\
goal: add is wrong, mend it
allow: ["calc.py"]
accept:
  - pytest: tests/test_add.py
guard:
  - pytest: tests
budget: {ticks: 9, minutes: 5}
"""


def git(folder: Path, *argv: str) -> str:
    """What git says; raises where it fails."""
    done = subprocess.run(["git", *argv], cwd=folder, env=ENV, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(folder: Path, files: dict[str, str] | None = None, *, commit: bool = True) -> Path:
    """A repository with `files` (default: CALC) and, with `commit`, one commit on `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    write(folder, CALC if files is None else files)
    if commit:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "first")
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """Put text files below `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def fingerprint(folder: Path, *, branches: bool = True) -> str:
    """A digest of working tree, refs, index, HEAD and config; without `branches`, refs of agentloop's own left out.

    Objects don't count: loose ones that nothing refers to are not part of what a repository says.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        inside = name.partition(".git/")[2]
        if inside.startswith("objects") or (not branches and "agentloop" in inside):
            continue
        kind = "link" if path.is_symlink() else "dir" if path.is_dir() else "file"
        body = os.readlink(path).encode() if kind == "link" else b"" if kind == "dir" else path.read_bytes()
        stamp = path.lstat()
        mtime = 0 if kind == "dir" else stamp.st_mtime_ns
        digest.update(repr((name, kind, stamp.st_mode, mtime, hashlib.sha256(body).hexdigest())).encode())
    return digest.hexdigest()
