"""Reading a file."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentloop.core.visible import visible
from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.line_ends import only_crlf
from agentloop.tools.places import placed

MAX_CHARS = 24_000
"""Characters of one answer."""

MAX_LINE = 2_000


class ReadArguments(Arguments):
    """Which lines of which file."""

    path: str
    start: int = Field(1, ge=1, le=100_000_000, description="first line, counted from 1")
    lines: int = Field(400, ge=1, le=100_000, description="how many lines")


class Read:
    """Show lines of a file, numbered. Control and invisible characters are shown as escapes."""

    spec = described("read", __doc__, ReadArguments)

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """The lines below a line that says what the file is, and how to read on where there are more."""
        wanted = fitted(ReadArguments, arguments)
        path = placed(wanted.path, desk)
        data = desk.read(path)
        crlf = only_crlf(data)
        lines = data.decode("utf-8", "replace").split("\r\n" if crlf else "\n")
        if not lines[-1]:
            lines.pop()
        first = wanted.start
        shown: list[str] = []
        size = 0
        for number, line in enumerate(lines[first - 1 : first - 1 + wanted.lines], first):
            text = f"{number:>5}  {_cut(visible(line))}"
            size += len(text) + 1
            if size > MAX_CHARS:
                break
            shown.append(text)
        head = "; ".join([f"{path!r}: {_extent(first, len(shown), len(lines))}", *_notes(data, crlf)])
        after = first + len(shown)
        more = [f"(read on with start={after})"] if shown and after <= len(lines) else []
        return "\n".join([head, *shown, *more])


def _extent(first: int, shown: int, total: int) -> str:
    lines = "1 line" if total == 1 else f"{total} lines"
    if shown == total:
        return lines if total else "empty"
    return f"lines {first} to {first + shown - 1} of {total}" if shown else f"{lines}, none from {first} on"


def _notes(data: bytes, crlf: bool) -> list[str]:
    """What of the file the lines don't show."""
    found = ["lines end in CRLF"] if crlf else []
    if b"\0" in data:
        found.append("a binary file")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        found.append("not UTF-8: undecodable bytes are shown as \ufffd")
    if data and not data.endswith(b"\n"):
        found.append("no newline at the end")
    return found


def _cut(text: str) -> str:
    if len(text) <= MAX_LINE:
        return text
    return f"{text[:MAX_LINE]} … {len(text) - MAX_LINE} characters left out"
