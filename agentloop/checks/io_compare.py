"""Compares what a program gave with what was expected, in our own process, and says where they first differ."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from agentloop.checks.documents import document

SHOWN = 60
"""Characters of each side that a reason shows."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_END = "the end"


def exact(expected: str, found: str, tolerance: float) -> str:
    """Every character counts; `lines` differ with their ends. As all here: where they differ first, or nothing."""
    return _rows(expected.splitlines(keepends=True), found.splitlines(keepends=True))


def lines(expected: str, found: str, tolerance: float) -> str:
    """White space at the end of lines, and empty lines at the very end, do not count."""
    return _rows(_trimmed(expected), _trimmed(found))


def unordered(expected: str, found: str, tolerance: float) -> str:
    """As `lines`, in any order, each as often as expected."""
    return _rows(sorted(_trimmed(expected)), sorted(_trimmed(found))).replace("line", "sorted line", 1)


def numbers(expected: str, found: str, tolerance: float) -> str:
    """Word for word, however they are spaced; what is a number on both sides may differ by `tolerance`."""
    pairs = zip_longest(expected.split(), found.split())
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs and not (ours and theirs and _near_texts(ours, theirs, tolerance)):
            return f"word {number}: {_both(ours, theirs)}"
    return ""


def json_text(expected: Any, found: str, tolerance: float) -> str:
    """As JSON values. `expected` is JSON text, or any other value as itself."""
    try:
        theirs = document(found.encode("utf-8", "surrogateescape"), "json")
    except ValueError as error:
        return f"{error}; found {_cut(found)}"
    return values(document(expected.encode(), "json") if isinstance(expected, str) else expected, theirs, tolerance)


MODES: dict[str, Callable[[Any, str, float], str]] = {
    "exact": exact,
    "lines": lines,
    "unordered": unordered,
    "json": json_text,
    "numbers": numbers,
}
"""`compare` → what compares (expected, found, tolerance): where they first differ, empty where they are the same."""


def values(expected: Any, found: Any, tolerance: float, place: str = "") -> str:
    """Where two JSON values first differ. A number equals one of the same worth, never a boolean or a text."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in dict.fromkeys([*expected, *found]):
            if key not in expected or key not in found:
                return f"{_at(place)}key {key!r} is {'missing' if key in expected else 'not expected'}"
            if why := values(expected[key], found[key], tolerance, f"{place}.{key}"):
                return why
        return ""
    if isinstance(expected, list) and isinstance(found, list):
        for index, (ours, theirs) in enumerate(zip(expected, found, strict=False)):
            if why := values(ours, theirs, tolerance, f"{place}[{index}]"):
                return why
        if len(expected) != len(found):
            return f"{_at(place)}expected {len(expected)} items, found {len(found)}"
        return ""
    same = type(expected) is type(found) and expected == found
    if same or (_number(expected) and _number(found) and near(expected, found, tolerance)):
        return ""
    return f"{_at(place)}expected {_cut(expected)}, found {_cut(found)}"


def near(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers are the same, or differ by at most `tolerance` (of the larger one, where that is above 1)."""
    try:
        return one == other or abs(one - other) <= tolerance * max(1.0, abs(one), abs(other))
    except OverflowError:
        return False


def _near_texts(ours: str, theirs: str, tolerance: float) -> bool:
    if not (_NUMBER.fullmatch(ours) and _NUMBER.fullmatch(theirs)):
        return False
    one, other = float(ours), float(theirs)
    return math.isfinite(one) and math.isfinite(other) and near(one, other, tolerance)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _trimmed(text: str) -> list[str]:
    rows = [row.rstrip() for row in text.splitlines()]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _rows(expected: list[str], found: list[str]) -> str:
    for number, (ours, theirs) in enumerate(zip_longest(expected, found), 1):
        if ours != theirs:
            return f"line {number}: {_both(ours, theirs)}"
    return ""


def _both(ours: str | None, theirs: str | None) -> str:
    """Both sides from a little before the place where they part."""
    if ours is None or theirs is None:
        return f"expected {_END if ours is None else _cut(ours)}, found {_END if theirs is None else _cut(theirs)}"
    parted = next((at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0)
    start = max(0, parted - SHOWN // 2)
    before = f"at character {start + 1}: " if start else ""
    return f"{before}expected {_cut(ours[start:])}, found {_cut(theirs[start:])}"


def _cut(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _at(place: str) -> str:
    return f"{place.lstrip('.')}: " if place else ""
