"""Writing a whole file."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted, parameters
from agentloop.tools.edit import MayWrite


class WriteArguments(Arguments):
    """A path and all of its text."""

    path: str
    content: str


class Write:
    """Create a file, or replace all of one. For small changes use `edit`."""

    spec = ToolSpec(
        name="write",
        description="Create a file, or replace all of one. For small changes use `edit`.",
        parameters=parameters(WriteArguments),
    )

    def __init__(self, refusal: MayWrite) -> None:
        self._refusal = refusal

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Write it."""
        wanted = fitted(WriteArguments, arguments)
        if why := self._refusal(wanted.path):
            raise DeskError(why)
        data = wanted.content.encode("utf-8", "surrogateescape")
        desk.write(wanted.path, data)
        return f"wrote {len(data)} bytes to {wanted.path}"
