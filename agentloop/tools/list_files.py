"""Listing files."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.globs import glob_problem, matcher
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted, parameters


class ListArguments(Arguments):
    """Which paths, as a gitignore-style glob, and how many."""

    glob: str = "**"
    limit: int = 200


class ListFiles:
    """List the paths that match a glob (gitignore syntax), sorted."""

    spec = ToolSpec(
        name="list",
        description="List the paths that match a glob (gitignore syntax), sorted.",
        parameters=parameters(ListArguments),
    )

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """One path a line, and how many more there are."""
        wanted = fitted(ListArguments, arguments)
        if why := glob_problem(wanted.glob):
            raise DeskError(why)
        matches = matcher((wanted.glob,))
        found = [path for path in desk.files() if matches(path)]
        limit = max(1, min(wanted.limit, 1000))
        shown = [visible(path) for path in found[:limit]]
        more = [f"({len(found) - limit} more; narrow the glob)"] if len(found) > limit else []
        return "\n".join([*shown, *more]) or f"no path matches {wanted.glob!r}"
