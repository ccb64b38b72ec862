"""Chooses fix commits of a git repository by nothing but the sizes of their diffs.

``python -m bench.repair.choose OWNER/NAME=GIT_DIR … --per 2 > commits.txt``. A commit is chosen where its subject has a
word of WORDS (that is what makes it a fix commit here), it has one parent, and it changes exactly one Python file that
is no test, in at most five lines (more of added or removed counts), and at least one test file, and nothing else but
texts (changelogs, documentation). The newest ones come first. No line of the diff is looked at.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import PurePosixPath

LINES = 5
WORDS = re.compile(r"\b(fix|fixes|fixed|fixing|bug|bugfix|regression|wrong|incorrect|crash)\b", re.IGNORECASE)
TEXTS = (".md", ".rst", ".txt", ".cfg", ".toml", ".yml", ".yaml", ".ini")


def git(folder: str, *argv: str) -> str:
    """What git says of the repository in `folder`."""
    return subprocess.run(["git", "--git-dir", folder, *argv], capture_output=True, text=True, check=True).stdout


def is_test(path: str) -> bool:
    """Whether a path is a test's, by its name."""
    parts = PurePosixPath(path).parts
    named = parts[-1].startswith("test") or parts[-1].endswith("_test.py") or parts[-1] == "conftest.py"
    return named or any(part in ("test", "tests", "testing") for part in parts[:-1])


def fits(stat: list[tuple[str, str, str]]) -> bool:
    """Whether a diff, as (lines added, lines removed, path), is one to choose."""
    python = [row for row in stat if row[2].endswith(".py")]
    source = [row for row in python if not is_test(row[2])]
    rest = [row[2] for row in stat if row not in python and not is_test(row[2])]
    small = len(source) == 1 and max(int(source[0][0]), int(source[0][1])) <= LINES
    return small and len(python) > 1 and all(path.endswith(TEXTS) or "." not in path for path in rest)


def chosen(folder: str, most: int) -> list[str]:
    """Up to `most` commits, newest first."""
    log = git(folder, "log", "--no-merges", "--numstat", "--no-renames", "--format=%x00%H %s", "HEAD")
    found = []
    for entry in log.split("\0")[1:]:
        subject, *rows = [line for line in entry.splitlines() if line]
        commit = subject.split()[0]
        stat = [(added, removed, path) for added, removed, path in (row.split("\t") for row in rows)]
        if WORDS.search(subject) and all(added.isdigit() for added, _, _ in stat) and fits(stat):
            found.append(commit)
        if len(found) == most:
            break
    return found


def main() -> None:
    """One line a commit: repository and hash."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", metavar="OWNER/NAME=GIT_DIR")
    parser.add_argument("--per", type=int, default=2, help="at most so many of one repository")
    args = parser.parse_args()
    for repository in args.repositories:
        name, _, folder = repository.partition("=")
        for commit in chosen(folder, args.per):
            print(name, commit)


if __name__ == "__main__":
    main()
