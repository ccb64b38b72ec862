"""A cassette gives each recorded reply once, to the request it was recorded for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.cassette import Cassette
from agentloop.core.chat import Message, Reply, Request


def ask(*texts: str, **more: object) -> Request:
    return Request(system="s", messages=tuple(Message(role="user", text=text) for text in texts)).model_copy(
        update=more
    )


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_equal_requests_get_the_replies_in_the_order_of_the_recording(names: list[str]) -> None:
    """Whatever else is asked in between; afterwards there is nothing left."""
    cassette = Cassette("r", [(ask(name), Reply(text=f"{name}{n}")) for n, name in enumerate(names)])
    for letter in "cab":
        expected = [f"{name}{n}" for n, name in enumerate(names) if name == letter]
        assert [cassette.take(ask(letter)).text for _ in expected] == expected  # type: ignore[union-attr]
        assert cassette.take(ask(letter)) is None
    assert len(cassette) == 0


def test_what_changes_from_run_to_run_makes_no_difference() -> None:
    """Times, numbers and temporary folders; but words do, and so does the place of a word."""
    recorded = ask("ran /tmp/a1/b.py in 0.31 s\nsecond", "x")
    same = ask("ran /tmp/zz/q.py in 12 s\nsecond", "x", max_output=16, temperature=0.5)
    for other in (ask("ran /tmp/a1/b.py in 0.31 s\nthird", "x"), ask("ran /tmp/a1/b.py in 0.31 s\nsecond")):
        assert Cassette("r", [(recorded, Reply(text="a"))]).take(other) is None
    assert Cassette("r", [(recorded, Reply(text="a"))]).take(same) == Reply(text="a")


def test_an_exact_match_comes_before_a_similar_one() -> None:
    """Two requests that differ in a number each get their own."""
    cassette = Cassette("r", [(ask("page 1"), Reply(text="one")), (ask("page 2"), Reply(text="two"))])
    assert [cassette.take(ask(f"page {n}")).text for n in (2, 1)] == ["two", "one"]  # type: ignore[union-attr]


def test_other_files_and_other_edits_are_other_requests() -> None:
    """However long the line in which they differ."""
    for one, other in (("edit src/a.py", "edit src/b.py"), ("x" * 400 + "A", "x" * 400 + "B")):
        assert Cassette("r", [(ask(one), Reply(text="a"))]).take(ask(other)) is None
