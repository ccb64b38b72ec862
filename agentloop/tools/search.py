"""Searching in files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from agentloop.core.process import Ran
from agentloop.core.screen import MAX_FILE
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described
from agentloop.tools.places import matching

SECONDS = 20.0
"""Wall time of one search, all its processes together."""

LOOKED, SHOWN = 2_000, 300
"""Characters of a line that are looked at, and that are shown."""

ROOM = 24_000
"""Bytes of all hits of a search: a desk keeps the first 64 KiB of an output, and they must fit one answer."""

ARGUMENT = 90_000
"""Bytes of paths that one process is given; Linux takes no argument over 128 KiB."""

SCRIPT = str(Path(__file__).parent.parent / "kit" / "search_files.py")


class SearchArguments(Arguments):
    """What to look for, where, and how many hits."""

    pattern: str = Field(min_length=1, max_length=1_000, description="a Python regular expression")
    glob: str = Field("**", description="which files, in gitignore syntax, e.g. src/**/*.py")
    limit: int = Field(50, ge=1, le=500, description="how many lines")


class Search:
    """Find lines that match a Python regular expression, in the files that match a glob."""

    # A pattern can keep Python busy for years and holds the interpreter's lock meanwhile: no thread or signal handler
    # of ours could stop it. So a child in the sandbox does the work, and the deadline ends it.

    spec = described("search", __doc__, SearchArguments)

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """``path:line: text`` for each hit, and what was not looked at."""
        wanted = fitted(SearchArguments, arguments)
        hits: list[str] = []
        skipped, full, room, left = 0, False, ROOM, SECONDS
        for paths in _parts(matching(wanted.glob, desk)):
            answer, took = _ask(desk, wanted.pattern, paths, wanted.limit - len(hits), room, left)
            new = [f"{path}:{number}: {_shown(text)}" for path, number, text in answer["hits"]]
            hits, room, left = hits + new, room - sum(map(len, new)), left - took
            skipped, full = skipped + answer["skipped"], answer["full"]
            if full:
                break
        notes = [f"(there are more than these {len(hits)}; narrow the pattern or the glob)"] if full else []
        notes += [f"({skipped} files are binary, links or too large and were not searched)"] if skipped else []
        return "\n".join([*(hits or ["nothing found"]), *notes])


def _ask(
    desk: Desk, pattern: str, paths: list[str], limit: int, room: int, left: float
) -> tuple[dict[str, Any], float]:
    """A child's answer and the seconds it took. Raises DeskError where there is none, or no time is left for it."""
    bounds = {"limit": limit, "room": room, "line": LOOKED, "shown": SHOWN, "file": MAX_FILE}
    asked = json.dumps({"pattern": pattern, "paths": paths, **bounds})
    ran = desk.run(("python3", "-I", "-S", SCRIPT, asked), left) if left > 0 else Ran(timed_out=True)
    if ran.timed_out:
        raise DeskError(f"the search took more than {SECONDS:.0f} s; use a simpler pattern or a narrower glob")
    try:
        answer: dict[str, Any] = json.loads(ran.stdout.head)
    except ValueError:
        last = (ran.stderr.text.strip().splitlines() or [ran.said])[-1]
        raise DeskError(f"the search could not be done: {last}") from None
    if answer["bad"]:
        raise DeskError(f"{pattern!r} is not a Python regular expression: {answer['bad']}")
    return answer, ran.seconds


def _parts(paths: list[str]) -> Iterator[list[str]]:
    """`paths` in parts that fit an argument; one empty part, which still tries the pattern, where there is none."""
    part: list[str] = []
    size = 0
    for path in paths:
        length = len(json.dumps(path)) + 2
        if part and size + length > ARGUMENT:
            yield part
            part, size = [], 0
        part.append(path)
        size += length
    yield part


def _shown(text: str) -> str:
    return text.rstrip("\r") if len(text) <= SHOWN else f"{text[:SHOWN]}…"
