"""Reading a long result in pages."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.shelf import Shelf


class FetchArguments(Arguments):
    """Which artifact, and from which character on."""

    id: str
    offset: int = Field(0, ge=0)


class FetchArtifact:
    """Read more of a result of which only a preview was shown, in pages."""

    spec = described("fetch_artifact", __doc__, FetchArguments)

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """One page. Raises DeskError."""
        wanted = fitted(FetchArguments, arguments)
        return self._shelf.page(wanted.id, wanted.offset)
