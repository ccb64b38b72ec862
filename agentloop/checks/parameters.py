"""Looks at the parameters of a check and says in plain words what is wrong with them."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Any

MAX_PATTERN = 2_000
"""Characters of a regular expression."""


def key_problems(params: Mapping[Any, Any], known: tuple[str, ...]) -> list[str]:
    """One line for each key that is not known, with the nearest that is."""
    found = []
    for key in params:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            found.append(f"unknown key {key!r}; {hint}")
    return found


def path_problems(key: str, value: Any) -> list[str]:
    """Whether `value` names a file of the tree: text, relative, and not leading out of it."""
    if not isinstance(value, str) or not value.strip():
        return [f"{key} must be a path in the tree; found {value!r}"]
    if "\0" in value or value.startswith(("/", "~")) or ".." in value.split("/") or ":\\" in value:
        return [f"{key} must be a path relative to the tree's root, without '..'; found {value!r}"]
    if normal(value) == ".":
        return [f"{key} must name a file; found {value!r}"]
    return []


def text_list_problems(key: str, value: Any) -> list[str]:
    """Whether `value` is a list of texts with something in it."""
    if isinstance(value, list | tuple) and value and all(isinstance(item, str) and item for item in value):
        return []
    return [f"{key} must be a list of texts; found {value!r}"]


def pattern_problems(key: str, value: Any) -> list[str]:
    """Whether `value` is a regular expression."""
    if not isinstance(value, str) or not value:
        return [f"{key} must be a regular expression; found {value!r}"]
    if len(value) > MAX_PATTERN:
        return [f"{key} has {len(value)} characters; at most {MAX_PATTERN} are allowed"]
    try:
        re.compile(value, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        return [f"{key} is not a regular expression: {error}; found {value!r}"]
    return []


def normal(path: str) -> str:
    """The path as trees spell it: ``./a//b/`` is ``a/b``."""
    return posixpath.normpath(path)


_JUDGING = re.compile(
    r"(^|[/_.-])(tests?|specs?|checks?|verify|expected|golden|snapshots?|fixtures?|smoke|ci)([/_.-]|$)|\.(ba|z|k)?sh$",
    re.IGNORECASE,
)


def judging_files(words: Iterable[str]) -> list[str]:
    """The words of a command that name what a check rests on: scripts, tests, expected output.

    A path whose name says nothing of the sort is taken for the program under test, which the run may change.
    """
    paths = [word for word in words if re.fullmatch(r"[\w@%+./-]+", word) and not word.startswith(("-", "/"))]
    named = [normal(path) for path in paths if "/" in path or "." in path]
    return sorted({path for path in named if _JUDGING.search(path) and not path.startswith("..") and path != "."})
