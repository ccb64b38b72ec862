"""Where a search happens and what it looks for, as values; and how the kit's scripts are started there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentloop.core.process import Ran


@dataclass(frozen=True)
class Place:
    """Where a search happens: a tree on disk, a scratch folder, and what runs the kit's scripts there.

    `launch` runs an argument list within so many seconds; `files` maps the tree's Python files to their bytes;
    `allowed` says which may change; `borrow` is a folder that holds the package `coverage` (None: never look);
    `tell` hears how many candidates were tried while a search goes on.
    """

    folder: str
    scratch: str
    kit: str
    python: str
    launch: Callable[[tuple[str, ...], float, Mapping[str, str]], Ran]
    files: Mapping[str, bytes]
    allowed: Callable[[str], bool]
    borrow: str | None
    tell: Callable[[int], None] = lambda tried: None


@dataclass(frozen=True)
class Aim:
    """What to search for: tests to turn green, tests to keep green, where, with how many edits, and within what.

    Lines of the scopes `searched` were gone through before and are left out; `seconds` is wall time.
    """

    failing: tuple[str, ...]
    passing: tuple[str, ...]
    scope: str
    edits: int
    searched: tuple[str, ...] = ()
    seconds: float = 60.0
    most: int = 20_000
    slots: int = 2


def run_kit(place: Place, script: str, request: Mapping[str, Any], seconds: float) -> Ran:
    """Run one of the kit's scripts on a request, within so many seconds."""
    path = os.path.join(place.scratch, f"{script}.json")
    Path(path).write_text(json.dumps(request), encoding="utf-8")
    return place.launch((place.python, os.path.join(place.kit, script), path), seconds, {})
