"""Screens what a change adds, against base: reads the texts, and says what the goal makes of a suspicion."""

from __future__ import annotations

from agentloop.core.check import Verdict
from agentloop.core.goal import Goal
from agentloop.core.suspect import suspicions
from agentloop.core.suspect.literals import Pair, pairs_of_tests
from agentloop.core.suspect.tokens import LANGUAGES, ending
from agentloop.core.suspicion import Edit, Suspicion
from agentloop.core.tree import Entry, Tree, difference
from agentloop.ports import Blobs

TEST_FILES, TEST_BYTES = 200, 2_000_000
"""Test files named by the goal's checks of which the literals are known, and their size in all."""


class Suspecting:
    """The static screen of one run. `named` are the files and folders that the goal's checks name."""

    def __init__(self, goal: Goal, blobs: Blobs, named: tuple[str, ...]) -> None:
        self._fails = goal.suspect == "fail"
        self._blobs = blobs
        self._named = named
        self._pairs: dict[str, frozenset[Pair]] = {}

    def of(self, base: Tree, tree: Tree) -> tuple[Suspicion, ...]:
        """What is suspect in what `tree` adds to `base`."""
        edits = [
            Edit(path, self._text(old), self._text(new))
            for path, (old, new) in difference(base, tree).items()
            if new is not None and ending(path) in LANGUAGES
        ]
        return suspicions(edits, self._expected(base)) if edits else ()

    def refusal(self, found: tuple[Suspicion, ...]) -> Verdict | None:
        """A failed verdict, naming path, line and rule, where the goal says that suspicions fail."""
        if not (found and self._fails):
            return None
        return Verdict(status="failed", reason=f"{found[0]} (`suspect: fail`)", suspicions=found)

    def _expected(self, base: Tree) -> frozenset[Pair]:
        if base.digest not in self._pairs:
            self._pairs[base.digest] = pairs_of_tests(self._tests(base))
        return self._pairs[base.digest]

    def _tests(self, base: Tree) -> list[str]:
        texts, left = [], TEST_BYTES
        for path, entry in base.items():
            if ending(path) == "py" and any(_lies_in(path, name) for name in self._named) and entry.size <= left:
                texts.append(self._text(entry))
                left -= entry.size
        return texts[:TEST_FILES]

    def _text(self, entry: Entry | None) -> str:
        return self._blobs.get(entry.blob).decode("utf-8", "replace") if entry else ""


def _lies_in(path: str, name: str) -> bool:
    return name == "." or path == name or path.startswith(name.rstrip("/") + "/")
