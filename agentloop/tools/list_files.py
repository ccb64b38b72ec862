"""Listing files."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.places import matching


class ListArguments(Arguments):
    """Which paths and how many."""

    glob: str = Field("**", description="gitignore syntax, e.g. src/**/*.py")
    limit: int = Field(200, ge=1, le=1000, description="how many paths")


class ListFiles:
    """List the paths that match a glob (gitignore syntax), sorted."""

    spec = described("list", __doc__, ListArguments)

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """One path a line, and how many more there are."""
        wanted = fitted(ListArguments, arguments)
        found = matching(wanted.glob, desk)
        shown = [path.replace("\n", "\\n") for path in found[: wanted.limit]]
        more = [f"({len(found) - wanted.limit} more; narrow the glob)"] if len(found) > wanted.limit else []
        return "\n".join([*shown, *more]) or f"no path matches {wanted.glob!r}"
