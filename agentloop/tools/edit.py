"""Changing a file: exact replacement, with a hint where the text is nearly there."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted, parameters

MayWrite = Callable[[str], str | None]
"""Why a path may not be written; None where it may."""


class EditArguments(Arguments):
    """`old` must stand in the file exactly `count` times."""

    path: str
    old: str
    new: str
    count: int = 1


class Edit:
    """Replace text in a file. `old` must occur exactly `count` times (1 unless you say more), spaces included."""

    spec = ToolSpec(
        name="edit",
        description="Replace text in a file. `old` must occur exactly `count` times (default 1), spaces included.",
        parameters=parameters(EditArguments),
    )

    def __init__(self, refusal: MayWrite) -> None:
        self._refusal = refusal

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Do it, or say how often the text occurs and what comes near. Nothing is changed unless all fits."""
        wanted = fitted(EditArguments, arguments)
        if why := self._refusal(wanted.path):
            raise DeskError(why)
        if not wanted.old:
            raise DeskError("`old` is empty; give the text to replace, or use `write` for a new file")
        if wanted.old == wanted.new:
            raise DeskError("`old` and `new` are the same; nothing would change")
        data = desk.read(wanted.path)
        old, new = wanted.old.encode("utf-8", "surrogateescape"), wanted.new.encode("utf-8", "surrogateescape")
        if b"\r\n" in data and b"\r\n" not in old:
            old, new = old.replace(b"\n", b"\r\n"), new.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        found = data.count(old)
        if found != wanted.count:
            raise DeskError(_hint(data.decode("utf-8", "replace"), wanted.old, found, wanted.count))
        desk.write(wanted.path, data.replace(old, new))
        places = "1 place" if found == 1 else f"{found} places"
        return f"changed {places} in {wanted.path}"


def _hint(text: str, old: str, found: int, count: int) -> str:
    if found:
        lines: list[str] = []
        start = text.find(old)
        while start >= 0 and len(lines) < 10:
            lines.append(str(text.count("\n", 0, start) + 1))
            start = text.find(old, start + 1)
        return f"`old` occurs {found} times (lines {', '.join(lines)}), not {count}; give more of its surroundings"
    plain = text.replace("\r\n", "\n").split("\n")
    wanted = old.replace("\r\n", "\n").strip("\n").split("\n")
    best, place = 0.0, 0
    for start in range(max(1, len(plain) - len(wanted) + 1)):
        window = "\n".join(plain[start : start + len(wanted)])
        matcher = difflib.SequenceMatcher(None, window, "\n".join(wanted), autojunk=False)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, place = matcher.ratio(), start
    if best < 0.5:
        return "`old` does not occur in the file; `read` it first"
    near = "\n".join(plain[place : place + len(wanted)])
    squeezed = "".join(near.split()) == "".join("\n".join(wanted).split())
    why = "only white space differs" if squeezed else "this comes nearest"
    return f"`old` does not occur in the file; {why}, at line {place + 1}:\n{visible(near)}"
