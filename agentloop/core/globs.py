"""Globs in gitignore syntax, as the goal file's path lists use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pathspec import GitIgnoreSpec

MAX_STARS = 8
"""Stars of one glob beside ``**``: each may stand for any text, and matching time grows with every one."""


def matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a path (relative, with ``/``) matches one of `globs`; no glob matches nothing.

    Raises ValueError for what is no glob; `glob_problem` says so beforehand.
    """
    try:
        spec = GitIgnoreSpec.from_lines(globs)
    except re.error as error:
        raise ValueError(str(error)) from error
    return lambda path: bool(spec.match_file(path))


def glob_problem(glob: str) -> str | None:
    """Why `glob` can't be used, in words; None where it can."""
    if len(glob) > 400 or len(re.findall(r"\*+", glob.replace("**", ""))) > MAX_STARS:
        return f"{glob[:60]!r}: a glob of more than 400 characters or {MAX_STARS} stars"
    try:
        glob.encode("utf-8")
        matcher((glob,))
    except ValueError as error:
        return f"{glob!r} is no glob: {error}"
    return None
