"""A run that does not move is noticed, one that does is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.stall import LONGEST_PERIOD, side_by_side, stalled


def test_an_unchanged_state_stalls_after_so_many_ticks() -> None:
    """Three ticks without a change stall a run whose limit is three; two don't."""
    assert stalled(["a", "a", "a"], 3) is None
    assert stalled(["a", "a", "a", "a"], 3) == "the state did not change in the last 3 ticks"


@given(st.integers(2, LONGEST_PERIOD), st.lists(st.integers(100, 200)))
def test_a_circle_run_twice_is_noticed(period: int, before: list[int]) -> None:
    """Whatever came before, a circle of up to five states that was run twice in full stops the run."""
    circle = [str(n) for n in range(period)]
    assert stalled([*map(str, before), *circle, *circle], 99) is not None
    assert stalled([*circle, *circle[:-1]], 99) is None


@given(st.integers(1, 40), st.integers(1, 6))
def test_new_states_never_stall(ticks: int, stall: int) -> None:
    """As long as each tick gives a new state the run goes on."""
    assert stalled([str(n) for n in range(ticks)], stall) is None


def test_the_evidence_stands_side_by_side() -> None:
    """A circle of two shows for each of its states both ticks that led there; a moving run shows nothing."""
    ticks = [(n, f"tick {n}") for n in range(1, 5)]
    lines = side_by_side(["0", "a", "b", "a", "b"], 9, ticks)
    assert lines == ("state a after tick 1: tick 1 | tick 3: tick 3", "state b after tick 2: tick 2 | tick 4: tick 4")
    assert side_by_side(["0", "a", "b"], 9, ticks[:2]) == ()
