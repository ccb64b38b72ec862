"""Globs in gitignore syntax, as the goal file's path lists use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pathspec import GitIgnoreSpec


def matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a path (relative, with ``/``) matches one of `globs`; no glob matches nothing."""
    spec = GitIgnoreSpec.from_lines(globs)
    return lambda path: bool(spec.match_file(path))
