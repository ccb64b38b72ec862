"""Writing a whole file."""

from __future__ import annotations

from typing import Any

from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.places import MayWrite, writable


class WriteArguments(Arguments):
    """A path and all of its text."""

    path: str
    content: str


class Write:
    """Create a file, or replace all of one. For small changes use `edit`."""

    spec = described("write", __doc__, WriteArguments)

    def __init__(self, may_write: MayWrite) -> None:
        self._may_write = may_write

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Write it, and say what became of what was there."""
        wanted = fitted(WriteArguments, arguments)
        path = writable(wanted.path, desk, self._may_write)
        data = wanted.content.encode()
        before = _present(path, desk)
        if data == before:
            return f"{path!r} already has this content; nothing was changed"
        desk.write(path, data)
        size = f"{len(data):,} bytes"
        if before is None:
            return f"created {path!r}: {size}"
        note = "; its lines ended in CRLF before" if b"\r\n" in before and b"\r\n" not in data else ""
        return f"replaced {path!r}: {size}{note}"


def _present(path: str, desk: Desk) -> bytes | None:
    try:
        return desk.read(path)
    except DeskError:
        return None  # new, or not to be had: writing it will tell
