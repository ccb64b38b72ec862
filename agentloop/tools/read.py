"""Reading a file."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.visible import visible
from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted, parameters

MAX_CHARS = 24_000


class ReadArguments(Arguments):
    """Which lines of which file; lines count from 1."""

    path: str
    start: int = 1
    lines: int = 400


class Read:
    """Show lines of a file, numbered. `start` and `lines` page through long files."""

    spec = ToolSpec(
        name="read",
        description="Show lines of a file, numbered. `start` and `lines` page through long files.",
        parameters=parameters(ReadArguments),
    )

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """The lines, and how to read on where there are more."""
        wanted = fitted(ReadArguments, arguments)
        data = desk.read(wanted.path)
        note = "" if _is_text(data) else "(not UTF-8 text: undecodable bytes are shown as \ufffd)\n"
        lines = data.decode("utf-8", "replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        first = max(1, wanted.start)
        shown: list[str] = []
        size = 0
        for number, line in enumerate(lines[first - 1 : first - 1 + max(1, wanted.lines)], first):
            text = f"{number:>5}  {visible(line.rstrip(chr(13)))[:2000]}"
            size += len(text)
            if size > MAX_CHARS:
                break
            shown.append(text)
        after = first + len(shown)
        more = f"\n({len(lines)} lines in all; read on with start={after})" if after <= len(lines) else ""
        return note + ("\n".join(shown) or f"(nothing: the file has {len(lines)} lines)") + more


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
