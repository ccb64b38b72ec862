"""A plain folder as base, for `copy:`: no git at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentloop.core.tree import Tree
from agentloop.errors import Refused
from agentloop.host.walk import capture

LEFT_OUT = frozenset(
    {".git", "__pycache__", "node_modules", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".DS_Store"}
)
"""Names that are never imported: what tools leave behind, and another history."""


def import_folder(folder: Path, put: Callable[[bytes], str]) -> Tree:
    """The tree of `folder`, without LEFT_OUT and virtual environments. Raises Refused where it can't be read."""

    def skip(path: str) -> bool:
        name = path.rpartition("/")[2]
        return name in LEFT_OUT or (folder / path / "pyvenv.cfg").is_file()

    try:
        return capture(str(folder), put, skip)
    except OSError as error:
        raise Refused(
            f"copy: {error.filename or folder}: {error.strerror}", "make it readable, or copy a part"
        ) from error
