"""People see that a model is writing, and nothing of it stays in the way."""

from __future__ import annotations

import io

from agentloop.view.life import Life


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_terminal_shows_one_line_that_changes_and_goes() -> None:
    """Not more than five times a second."""
    out, clock = Terminal(), Clock()
    life = Life(out, clock)
    for step in range(11):
        clock.now = step * 0.125
        life.beat("executor", step * 1000)
    assert out.getvalue().count("executor is writing") == 5
    assert "10,000 characters" in out.getvalue()
    assert "\n" not in out.getvalue()
    life.clear()
    assert out.getvalue().endswith("\r\x1b[K")
    assert life.clear() is None
    assert out.getvalue().count("\r\x1b[K") == 6


def test_a_pipe_gets_a_whole_line_now_and_then() -> None:
    """A short answer leaves none; no control characters."""
    out, clock = io.StringIO(), Clock()
    life = Life(out, clock)
    for second in range(70):
        clock.now = float(second)
        life.beat("planner", second)
    assert out.getvalue() == "  planner is writing: 30 characters\n  planner is writing: 60 characters\n"


def test_a_search_tells_candidates_instead_of_characters() -> None:
    """A search has no model that writes."""
    out = io.StringIO()
    life = Life(out, iter([0.0, 40.0]).__next__)
    life.beat("repair", 5)
    life.beat("repair", 1200)
    assert out.getvalue() == "  repair has tried 1,200 candidates\n"
