"""Reading: what an edit must know of a file, and nothing left out in silence."""

from __future__ import annotations

import re

import pytest

from tests.tools.hand import hand_with


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"a\nb\n", "'src/a.py': 2 lines\n    1  a\n    2  b"),
        (b"a", "'src/a.py': 1 line; no newline at the end\n    1  a"),
        (b"", "'src/a.py': empty"),
        (b"\n", "'src/a.py': 1 line\n    1  "),
        (b"a\r\nb\r\n", "'src/a.py': 2 lines; lines end in CRLF\n    1  a\n    2  b"),
        (b"a\r\nb\n", "'src/a.py': 2 lines\n    1  a\\x0d\n    2  b"),
        ("é\u202e".encode(), "'src/a.py': 1 line; no newline at the end\n    1  é\\u202e"),
        (b"\xff\n", "'src/a.py': 1 line; not UTF-8: undecodable bytes are shown as \ufffd\n    1  \ufffd"),
        (b"\0\x1b\n", "'src/a.py': 1 line; a binary file\n    1  \\x00\\x1b"),
        (
            b"a\x85b\x0cc\n",
            "'src/a.py': 1 line; not UTF-8: undecodable bytes are shown as \ufffd\n    1  a\ufffdb\\x0cc",
        ),
    ],
)
def test_reading_tells_what_the_file_is_and_shows_its_lines(data: bytes, answer: str) -> None:
    """Line ends, a missing last newline, bytes that are no text: all that an edit must know."""
    assert hand_with({"src/a.py": data}).done("read", path="src/a.py") == answer


@pytest.mark.parametrize("filler", ["x", "\x01"])
def test_paging_by_what_each_answer_says_shows_each_line_once(filler: str) -> None:
    """Following `start=` to the end gives the whole file, however long its lines are."""
    lines = [f"{number} " + filler * (number * 7 % 450) for number in range(1, 301)]
    hand = hand_with({"src/a.py": "\n".join(lines).encode() + b"\n"})
    seen: list[str] = []
    start: int | None = 1
    while start:
        answer = hand.done("read", path="src/a.py", start=start, lines=120)
        assert len(answer) < 25_000
        assert f"lines {start} to " in answer
        assert "of 300" in answer
        seen += re.findall(r"^ *\d+  (.*)$", answer, re.MULTILINE)
        more = re.search(r"start=(\d+)\)$", answer)
        start = int(more[1]) if more else None
    assert seen == [line.replace("\x01", "\\x01") for line in lines]


def test_reading_beyond_the_end_and_long_lines_are_said() -> None:
    """Nothing is left out in silence."""
    hand = hand_with({"src/a.py": b"x" * 5000 + b"\nb\n"})
    assert hand.done("read", path="src/a.py", start=9) == "'src/a.py': 2 lines, none from 9 on"
    assert "xx … 3000 characters left out\n" in hand.done("read", path="src/a.py")
    assert "there is no file 'src/b.py'" in hand.refused("read", path="src/b.py")


def test_paths_are_taken_as_tracebacks_and_shells_spell_them() -> None:
    """An absolute path into the tree and ``./`` name the same file; one that leads elsewhere names none."""
    hand = hand_with({"src/a.py": b"a\n"})
    for path in ("src/a.py", "./src/a.py", ".//src/a.py", "/nowhere/src/a.py"):
        assert hand.done("read", path=path).startswith("'src/a.py': 1 line")
    assert "'/src/a.py'" in hand.refused("read", path="/src/a.py")
