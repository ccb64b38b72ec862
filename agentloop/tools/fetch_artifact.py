"""Reading a long result in pages."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentloop.core.chat import ToolSpec
from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted, parameters
from agentloop.tools.shelf import Shelf


class FetchArguments(Arguments):
    """Which artifact, and from which character on."""

    id: str
    offset: int = Field(0, ge=0)


class FetchArtifact:
    """Read more of a result of which only a preview was shown, in pages."""

    spec = ToolSpec(
        name="fetch_artifact",
        description="Read more of a result of which only a preview was shown, in pages.",
        parameters=parameters(FetchArguments),
    )

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """One page. Raises DeskError."""
        wanted = fitted(FetchArguments, arguments)
        return self._shelf.page(wanted.id, wanted.offset)
