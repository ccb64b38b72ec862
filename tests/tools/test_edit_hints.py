"""An edit that does not fit is answered with what comes near, quickly."""

from __future__ import annotations

import random
import time

import pytest

from tests.tools.hand import hand_with


@pytest.mark.parametrize(
    ("data", "old", "words"),
    [
        ("if x:\n\treturn 1\n", "if x:\n    return 1\n", ["Only white space differs: line 2", "'\\treturn 1'"]),
        ("a = 1  \nb = 2\n", "a = 1\nb = 2", ["Only white space differs: line 1 is 'a = 1  '", "`old` has 'a = 1'"]),
        ("a = 1\n", "\n\na = 1\n\n\n", ["Only white space differs"]),
        (
            "x\n" * 9 + "def total(items):\n",
            "def totals(items):",
            ["comes nearest: line 10", "   10  def total(items)"],
        ),
        ("def f():\n    a\n    b\n" * 3 + "    c\n", "def f():\n    a\n    c", ["nearest: line 3 is '    b'"]),
        (
            "x = compute(1)\nfoo\nquux\nx = compute(1)\nbar = 2\nbaz = 4\n",
            "x = compute(1)\nbar = 2\nbaz = 3",
            ["nearest: line 6 is 'baz = 4'", "    4  x = compute(1)\n    5  bar = 2\n    6  baz = 4"],
        ),
        ("x\n" * 10_000 + "def total(items):\n", "def totals(items):", ["Nothing in the file comes near"]),
        ("one\r\ntwo\nthree\r\n", "one\ntwo\nthree", ["Only line ends differ", "CRLF, others in LF"]),
        ("one\ntwo\n", "one\r\ntwo", ["Only line ends differ: the file's lines end in LF"]),
        ("one\ntwo\n", "    1  one\n    2  two", ["Leave out the line numbers"]),
        ("a\u200bb\n", "a\\u200bb", ["shown as escapes"]),
        ("completely\nother\n", "import os", ["Nothing in the file comes near; `read` it first"]),
        ("", "import os", ["Nothing in the file comes near"]),
        ("abc\n", " \t ", ["Nothing in the file comes near"]),
        ("a\na\na\n", "a", ["occurs 3 times in 'src/a.py' (at lines 1, 2, 3), not 1"]),
        ("a\n" * 20, "a", ["occurs 20 times", "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"]),
        ("aaa\n", "aa", ["places of `old` overlap", "line 1"]),
    ],
)
def test_an_edit_that_does_not_fit_says_what_comes_near(data: str, old: str, words: list[str]) -> None:
    """How often and where, or the nearest passage and what differs; the file stays as it is."""
    answer = hand_with({"src/a.py": data.encode()}).refused("edit", path="src/a.py", old=old, new="new")
    assert [word for word in words if word not in answer] == []


def anagrams(letters: str) -> bytes:
    """Many lines that no rough measure tells apart."""
    order = random.Random(1)
    return "".join(f"{''.join(order.sample(letters, len(letters)))}\n" for _ in range(10_000)).encode()


@pytest.mark.parametrize(
    ("data", "old"),
    [
        ((b"x" * 79 + b"\n") * 50_000, ("y" * 79 + "\n") * 4000),
        (b"abcdefgh ijkl mnop\n" * 200_000, "abcdefg hijkl mno\n" * 16_000),
        (b"ab" * 2_000_000, "ba" * 4_999 + "cd\n"),
        (anagrams("abcdefghijklmnopqrst" * 2), "tsrqponmlkjihgfedcba" * 2),
        (anagrams("abcdefghij" * 5), "jihgfedcba" * 5),
    ],
    ids=["strangers", "near", "one line", "anagrams", "closer anagrams"],
)
def test_hints_on_large_files_are_quick(data: bytes, old: str) -> None:
    """Looking for what comes near is bounded, whatever the file and the text are."""
    hand = hand_with({"src/a.py": data})
    began = time.monotonic()
    hand.refused("edit", path="src/a.py", old=old, new="z")
    assert time.monotonic() - began < 8
