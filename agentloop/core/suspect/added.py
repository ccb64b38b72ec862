"""Which lines of a text are new."""

from __future__ import annotations

import difflib

DIFFABLE = 4_000
"""Lines up to which the differing middle is compared line by line; beyond it all of the middle counts as new."""


def added_lines(before: str, after: str) -> frozenset[int]:
    """The numbers (from 1) of the lines of `after` that `before` does not have at that place."""
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    stop = 0
    while stop < min(len(old), len(new)) - start and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    middle_old, middle_new = old[start : len(old) - stop], new[start : len(new) - stop]
    if max(len(middle_old), len(middle_new)) > DIFFABLE:
        return frozenset(range(start + 1, start + 1 + len(middle_new)))
    matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    found: set[int] = set()
    for tag, _, _, first, last in matcher.get_opcodes():
        if tag in ("insert", "replace"):
            found.update(range(start + first + 1, start + last + 1))
    return frozenset(found)
