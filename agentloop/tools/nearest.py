"""Finds what a model meant by a text that does not occur in a file, and says what differs."""

from __future__ import annotations

import difflib
import re
from heapq import nlargest
from itertools import islice

from agentloop.core.visible import visible

MAX_TEXT, MAX_LINES, MAX_LINE = 500_000, 10_000, 200
"""Characters and lines of a file, and characters of a line, that are looked at."""

CLOSE = 30
"""Lines that are compared in full."""

NEAR = 0.6
"""The least likeness (0 to 1) of two lines that is worth telling."""

PASSAGE = 30
"""Lines that are shown."""

_NUMBERED = re.compile(r"^ *\d+  ", re.MULTILINE)


def nearest(data: bytes, old: str) -> str:
    """What comes near to `old` in the file `data`, in words. `old` does not occur in it."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")[:MAX_TEXT]
    wanted = old.replace("\r\n", "\n")
    if "\ufffd" in wanted and "\ufffd" in text:
        return "\ufffd stands for bytes that are not UTF-8, which can't be sent; leave them out of `old`"
    if wanted in text:
        has = "some lines of the file end in CRLF, others in LF" if b"\r\n" in data else "the file's lines end in LF"
        return f"Only line ends differ: {has}"
    if all(map(_NUMBERED.match, wanted.splitlines())) and _NUMBERED.sub("", wanted) in text:
        return "Leave out the line numbers: they are not part of the file"
    if wanted in visible(text):
        return "The file holds characters that are shown as escapes; send the characters themselves"
    lines = text.split("\n")
    if (start := _squeezed(text, wanted)) is not None:
        return "Only white space differs: " + _told(lines, wanted.strip("\n").split("\n"), start)
    sent = wanted.strip("\n").split("\n")
    if (start := _aligned(lines[:MAX_LINES], sent)) is not None:
        return "This comes nearest: " + _told(lines, sent, start)
    return "Nothing in the file comes near; `read` it first"


def _squeezed(text: str, wanted: str) -> int | None:
    """The index of the line at which `wanted` begins if white space is ignored."""
    bare = "".join(wanted.split())
    if not bare:
        return None
    kept = [at for at, ch in enumerate(text) if not ch.isspace()]
    found = "".join(text.split()).find(bare)
    return None if found < 0 else text.count("\n", 0, kept[found])


def _aligned(lines: list[str], sent: list[str]) -> int | None:
    """The index of the line at which `sent` would begin, so that its longest line lies on the most similar one."""
    place = max(range(len(sent)), key=lambda at: len(sent[at].strip()))
    bare = [line.strip()[:MAX_LINE] for line in lines]
    if not sent[place].strip() or (close := _closest(bare, sent[place].strip()[:MAX_LINE])) is None:
        return None
    starts = (at - place for at, line in enumerate(bare) if line == close)
    return max(islice(starts, 20), key=lambda start: _equal(lines, sent, start))


def _closest(lines: list[str], line: str) -> str | None:
    """The most similar one, by a rough measure first: the exact one takes time with the third power of the length."""
    matcher = difflib.SequenceMatcher(None, b=line, autojunk=False)

    def like(other: str, rough: bool) -> float:
        matcher.set_seq1(other)
        if rough:
            return matcher.quick_ratio() if matcher.real_quick_ratio() >= NEAR else 0.0
        return matcher.ratio()

    close = nlargest(CLOSE, dict.fromkeys(lines), key=lambda other: like(other, rough=True))
    likeness, found = max(((like(other, rough=False), other) for other in close), key=lambda pair: pair[0])
    return found if likeness >= NEAR else None


def _equal(lines: list[str], sent: list[str], start: int) -> int:
    """How many lines of `sent` stand in the file if it begins at `start`."""
    return sum(lines[at].strip() == line.strip() for at, line in enumerate(sent, start) if 0 <= at < len(lines))


def _told(lines: list[str], sent: list[str], start: int) -> str:
    """The first line that differs, as it is and as it was sent, and the passage."""
    pairs = [(at, lines[at], line) for at, line in enumerate(sent, start) if 0 <= at < len(lines)]
    at, there, line = next((pair for pair in pairs if pair[1] != pair[2]), pairs[0])
    first = max(0, start)
    passage = lines[first : max(start + len(sent), first + 1)]
    shown = [f"{number:>5}  {visible(text[:MAX_LINE])}" for number, text in enumerate(passage[:PASSAGE], first + 1)]
    more = [f"({len(passage) - PASSAGE} more lines)"] if len(passage) > PASSAGE else []
    differs = f"line {at + 1} is {there[:MAX_LINE]!r}, `old` has {line[:MAX_LINE]!r}. The passage:"
    return "\n".join([differs, *shown, *more])
