"""Whether a run still moves: pure functions over the state hashes of its ticks."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST_PERIOD = 5
"""Ticks in the longest circle that is noticed."""


def round_of(hashes: Sequence[str], stall: int) -> tuple[int, int] | None:
    """What shows that nothing moves: the length of a round in ticks and how many rounds; None where it moves."""
    if len(hashes) > stall and len(set(hashes[-stall - 1 :])) == 1:
        return 1, stall
    for period in range(2, LONGEST_PERIOD + 1):
        last, before = hashes[-period:], hashes[-2 * period : -period]
        if len(before) == period and list(last) == list(before) and len(set(last)) > 1:
            return period, 2
    return None


def stalled(hashes: Sequence[str], stall: int) -> str | None:
    """Why there is no progress; None where there is.

    `hashes` holds the state before the first tick and after each one; `stall` is the number of ticks in a row
    that may leave it unchanged. A circle of 2 to LONGEST_PERIOD ticks counts once it was run twice in full.
    """
    found = round_of(hashes, stall)
    if found is None:
        return None
    period, rounds = found
    if period == 1:
        return f"the state did not change in the last {rounds} ticks"
    return f"the last {2 * period} ticks go round in a circle of {period}"


def side_by_side(hashes: Sequence[str], stall: int, ticks: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The ticks that led to the same state, one line for each place in the round; `ticks` are the number and the
    account of each executed one. Nothing where the run moves."""
    found = round_of(hashes, stall)
    if found is None:
        return ()
    period, rounds = found
    ran = ticks[-period * rounds :]
    first = len(hashes) - len(ran)
    lines = []
    for place in range(period):
        same = [f"tick {ran[n][0]}: {ran[n][1]}" for n in range(place, len(ran), period)]
        lines.append(f"state {hashes[first + place][:12]} after " + " | ".join(same))
    return tuple(lines)
