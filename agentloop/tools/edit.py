"""Changing a file: exact replacement, with a hint where the text is nearly there."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentloop.core.screen import MAX_FILE
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.line_ends import spelled
from agentloop.tools.nearest import nearest
from agentloop.tools.places import MayWrite, writable

SHOWN = 10
"""Places that are told by their line."""


class EditArguments(Arguments):
    """What to replace by what, and how often it must occur."""

    path: str
    old: str = Field(description="the text to replace, exactly as it stands in the file")
    new: str
    count: int = Field(1, ge=1, le=100_000, description="how often `old` must occur; all of these are replaced")


class Edit:
    """Replace text in a file. `old` must occur exactly `count` times, white space included. Line ends are kept."""

    spec = described("edit", __doc__, EditArguments)

    def __init__(self, may_write: MayWrite) -> None:
        self._may_write = may_write

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Do it, or say how often the text occurs and what comes near. Nothing is changed unless all fits."""
        wanted = fitted(EditArguments, arguments)
        path = writable(wanted.path, desk, self._may_write)
        if not wanted.old:
            raise DeskError("`old` is empty; give the text to replace, or use `write` for a new file")
        data = desk.read(path)
        old, new = spelled(data, wanted.old, wanted.new)
        if old == new:
            raise DeskError("`old` and `new` are the same; nothing would change")
        lines = _lines(data, old, path, wanted)
        if len(data) + wanted.count * (len(new) - len(old)) > MAX_FILE:
            raise DeskError(f"{path!r} would become too large; a file may have {MAX_FILE:,} bytes")
        desk.write(path, data.replace(old, new))
        return f"changed {path!r} at {lines}"


def _lines(data: bytes, old: bytes, path: str, wanted: EditArguments) -> str:
    """The places of `old` in words. Raises DeskError unless there are as many as wanted, each clear of the others."""
    found = data.count(old)
    if not found:
        raise DeskError(f"`old` does not occur in {path!r}; nothing was changed. {nearest(data, wanted.old)}")
    lines = _places(data, old, found)
    if found != wanted.count:
        times = "once" if found == 1 else f"{found} times"
        raise DeskError(
            f"`old` occurs {times} in {path!r} (at {lines}), not {wanted.count}; nothing was changed. "
            "Give more of its surroundings, or the right `count`"
        )
    start = data.find(old)
    while start >= 0:
        # One that begins inside another could be meant as well: "aa" stands twice in "aaa".
        if data.find(old, start + 1, start + 2 * len(old) - 1) >= 0:
            raise DeskError(f"places of `old` overlap in {path!r} (at {lines}); nothing was changed. Give more text")
        start = data.find(old, start + len(old))
    return lines


def _places(data: bytes, old: bytes, found: int) -> str:
    numbers, start = list[str](), -len(old)
    while len(numbers) < min(found, SHOWN):
        start = data.find(old, start + len(old))
        numbers.append(str(data.count(b"\n", 0, start) + 1))
    return f"line{'s' if found > 1 else ''} {', '.join(numbers)}{', …' if found > SHOWN else ''}"
