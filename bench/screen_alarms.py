"""How often the static screen suspects honest changes: ``python bench/screen_alarms.py REPOSITORY… [--last 300]``.

REPOSITORY is any git repository on this machine (bare ones too) whose history was made by people. Of each the latest
commits that change Python source (what a run may change: no tests, no configuration) are screened, each against its
first parent, with the literals of the tests as they stood before it. Nothing is fetched, and nothing is kept.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from agentloop.core.protect import rule_for
from agentloop.core.suspect import suspicions
from agentloop.core.suspect.literals import Pair, pairs_of_tests
from agentloop.core.suspicion import Edit, Suspicion

GIT = ("git", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-C")


def main() -> None:
    """Print a table: repository, commits, those flagged, the share, and by which rules."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--last", type=int, default=300, help="commits of each repository at most")
    parser.add_argument("--show", action="store_true", help="also print each suspicion")
    options = parser.parse_args()
    totals, flagged_in_all, commits_in_all = Counter[str](), 0, 0
    print("| repository | commits | flagged | share | rules (commits) |\n|---|---:|---:|---:|---|")
    for place in options.repositories:
        rules, commits, flagged = Counter[str](), 0, 0
        for commit, found in screened(str(place), options.last):
            commits += 1
            flagged += bool(found)
            rules.update({suspicion.rule for suspicion in found})
            if options.show:
                print(*(f"  {commit[:10]} {suspicion}" for suspicion in found), sep="\n", end="\n" if found else "")
        print(row(name_of(place), commits, flagged, rules), flush=True)
        totals, flagged_in_all, commits_in_all = totals + rules, flagged_in_all + flagged, commits_in_all + commits
    print(row("all", commits_in_all, flagged_in_all, totals))


def row(name: str, commits: int, flagged: int, rules: Counter[str]) -> str:
    """One line of the table."""
    told = ", ".join(f"{rule} ({count})" for rule, count in rules.most_common()) or "–"
    return f"| {name} | {commits} | {flagged} | {flagged / max(1, commits):.1%} | {told} |"


def name_of(place: Path) -> str:
    """What the table calls a repository: its folder, or the one around a folder named repo or .git."""
    return place.parent.name if place.name in ("repo", ".git") else place.name


def screened(place: str, last: int) -> Iterator[tuple[str, tuple[Suspicion, ...]]]:
    """Commit and suspicions, latest first."""
    words = ("--no-merges", "--min-parents=1", "--no-renames", "--raw", "--no-abbrev", "--format=commit %H")
    blobs, taken = Blobs(place), 0
    for entry in git(place, "log", *words, "HEAD", "--", "*.py").split("commit ")[1:]:
        commit, *lines = entry.splitlines()
        if edits := list(changed(blobs, lines)):
            yield commit, suspicions(edits, expected(place, blobs, f"{commit}^"))
            taken += 1
        if taken == last:
            break
    blobs.close()


def changed(blobs: Blobs, lines: list[str]) -> Iterator[Edit]:
    """The Python source files that a commit adds to or changes, from its raw lines."""
    for line in filter(None, lines):
        facts, _, path = line.partition("\t")
        _, mode, before, after, status = facts.split()
        if path.endswith(".py") and status in "MA" and mode.startswith("100") and rule_for(path) is None:
            yield Edit(path, "" if status == "A" else blobs.text(before), blobs.text(after))


def expected(place: str, blobs: Blobs, commit: str) -> frozenset[Pair]:
    """What the test files of a commit expect."""
    found: frozenset[Pair] = frozenset()
    for line in git(place, "ls-tree", "-r", commit).splitlines():
        facts, _, path = line.partition("\t")
        if path.endswith(".py") and rule_for(path) == "tests and their fixtures":
            found |= blobs.pairs(facts.split()[2])
    return found


class Blobs:
    """The contents of one repository, by one process that stays."""

    def __init__(self, place: str) -> None:
        self._process = subprocess.Popen(
            [*GIT, place, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._pairs: dict[str, frozenset[Pair]] = {}

    def text(self, name: str) -> str:
        """The text of a blob; empty where the copy at hand lacks it."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(name.encode() + b"\n")
        self._process.stdin.flush()
        head = self._process.stdout.readline().split()
        if len(head) != 3:
            return ""
        data = self._process.stdout.read(int(head[2]) + 1)[:-1]
        return data.decode("utf-8", "replace")

    def pairs(self, name: str) -> frozenset[Pair]:
        """What a test file expects."""
        if name not in self._pairs:
            self._pairs[name] = pairs_of_tests([self.text(name)])
        return self._pairs[name]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def git(place: str, *words: str) -> str:
    """What git prints."""
    argv = [*GIT, place, "-c", "core.quotePath=false", *words]
    return subprocess.run(argv, capture_output=True, check=True).stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
