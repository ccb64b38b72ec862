"""Globs in gitignore syntax, as the goal file's path lists, plans and tools use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pathspec import GitIgnoreSpec

MAX_GLOB, MAX_STARS = 400, 3
"""Characters of a glob; stars inside its names (``test_*_*`` has two), and ``**`` in it: matching time grows with the
power of each. Three take a tenth of a second where a long name is made for it, four take five seconds."""

_NESTED = re.compile(r"\[[^\]]*(?:\[|--|&&|~~|\|\|)")
"""A set of characters that Python may one day read in another way, of which it warns."""


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
    if glob.startswith("!"):
        return f"{glob[:60]!r}: a negation; list what is meant instead"
    names = glob.split("/")
    stars = sum(len(re.findall(r"\*+", name)) for name in names if name.strip("*"))
    if len(glob) > MAX_GLOB or max(stars, names.count("**")) > MAX_STARS:
        return f"{glob[:60]!r}: a glob of more than {MAX_GLOB} characters or {MAX_STARS} stars; use a simpler one"
    if _NESTED.search(glob):
        return f"{glob!r} is no glob: a set in brackets that holds a set"
    try:
        glob.encode("utf-8")
        matcher((glob,))
    except ValueError as error:
        return f"{glob!r} is no glob: {error}"
    return None
