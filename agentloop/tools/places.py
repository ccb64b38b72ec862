"""Where a tool may go: paths and globs as models write them, and who says what may be written."""

from __future__ import annotations

from collections.abc import Callable

from agentloop.core.globs import glob_problem, matcher
from agentloop.ports import Desk, DeskError

MayWrite = Callable[[str], str | None]
"""Why a path may not be written; None where it may."""


def placed(path: str, desk: Desk) -> str:
    """`path` as the tree spells it: tracebacks name files by their absolute path, and some like to write ``./``."""
    path = path.removeprefix(desk.folder.rstrip("/") + "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def writable(path: str, desk: Desk, may_write: MayWrite) -> str:
    """`path` as the tree spells it. Raises DeskError with the reason where it may not be written."""
    path = placed(path, desk)
    if why := may_write(path):
        raise DeskError(why)
    return path


def matching(glob: str, desk: Desk) -> list[str]:
    """The tree's paths that match `glob`, sorted. Raises DeskError where that is not a usable glob."""
    spelled = placed(glob, desk)
    if spelled in ("", "."):
        spelled = "**"
    if why := glob_problem(spelled):
        raise DeskError(why)
    matches = matcher((spelled,))
    return [path for path in desk.files() if matches(path)]
