"""Globs come from people and models: each is usable, and quickly matched, or refused in words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.globs import glob_problem, matcher


@pytest.mark.parametrize(
    "glob", ["**", "src/**/test_*_*.py", "a/*/b/*/c/*.*", "[ab]?.py", "é", "x" * 400, "a/**/b/**/*"]
)
def test_what_people_write_is_a_glob(glob: str) -> None:
    """A star that is a whole name costs nothing, so any number of these may stand in it."""
    assert glob_problem(glob) is None


@pytest.mark.parametrize(
    ("glob", "words"),
    [
        ("!a", "a negation"),
        ("!", "a negation"),
        ("a\\", "is no glob"),
        ("[b-a]", "is no glob"),
        ("[a--b]", "is no glob"),
        ("[[]", "is no glob"),
        ("\ud800", "is no glob"),
        ("x" * 401, "more than 400 characters"),
        ("*a*a*a*b", "3 stars"),
        ("*a*/*a*", "3 stars"),
        ("**/a/**/a/**/a/**/b", "3 stars"),
    ],
)
def test_what_is_no_glob_is_said_in_words(glob: str, words: str) -> None:
    """Broken ones, ones that mean something else, and ones that could take for ever."""
    assert words in (glob_problem(glob) or "")


@given(st.text("ab*?[]!/\\. #-&^", max_size=12), st.sampled_from(["a", "a/b", "b.a/a-b"]))
def test_a_glob_without_a_problem_raises_nothing(glob: str, path: str) -> None:
    """Nor does Python warn of it."""
    if glob_problem(glob) is None:
        matcher((glob,))(path)


@pytest.mark.parametrize("glob", ["*a*a*ab", "**/*a*a*ab", "**/a/**/a/**/ab"])
def test_the_worst_glob_is_matched_in_about_a_second(glob: str) -> None:
    """On paths that are made for it: one of the longest names, and many folders."""
    assert glob_problem(glob) is None
    began = time.monotonic()
    assert not matcher((glob,))("a" * 255)
    assert not matcher((glob,))("/".join(["a"] * 255))
    assert time.monotonic() - began < 5
