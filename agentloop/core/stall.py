"""Whether a run still moves: pure functions over the state hashes of its ticks."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST_PERIOD = 5
"""Ticks in the longest circle that is noticed."""


def stalled(hashes: Sequence[str], stall: int) -> str | None:
    """Why there is no progress; None where there is.

    `hashes` holds the state before the first tick and after each one; `stall` is the number of ticks in a row
    that may leave it unchanged. A circle of 2 to LONGEST_PERIOD ticks counts once it was run twice in full.
    """
    if len(hashes) > stall and len(set(hashes[-stall - 1 :])) == 1:
        return f"the state did not change in the last {stall} ticks"
    for period in range(2, LONGEST_PERIOD + 1):
        last, before = hashes[-period:], hashes[-2 * period : -period]
        if len(before) == period and list(last) == list(before) and len(set(last)) > 1:
            return f"the last {2 * period} ticks go round in a circle of {period}"
    return None
