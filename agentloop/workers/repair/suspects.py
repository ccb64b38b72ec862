"""The lines that are most likely at fault, as text: for a model's tool, and for whoever goes on from a search."""

from __future__ import annotations

from collections.abc import Iterable

from agentloop.workers.repair.localise import Line, Trace, localise
from agentloop.workers.repair.place import Aim, Place
from agentloop.workers.repair.search import failing_of, nothing_to_go_by, traced

MOST = 10
"""Lines that are told."""


def suspects(place: Place, failing: tuple[str, ...], passing: tuple[str, ...] = (), most: int = MOST) -> str:
    """Ranked suspicious lines for tests that fail (ids, files or folders), as text; or why there are none.

    The tests are run once, in `place`. The more `passing` tests there are to compare with, the better.
    """
    trace = traced(place, Aim(failing, passing, "allowed", 1))
    red = failing_of(trace, failing)
    if not red:
        return f"no suspicious lines: {nothing_to_go_by(trace)}"
    texts = {path: data.decode("utf-8", "replace").split("\n") for path, data in place.files.items()}
    lines = localise(trace, red, lambda path: path in place.files and place.allowed(path), texts)
    return told(lines[:most], trace, red)


def told(lines: Iterable[Line], trace: Trace, failing: Iterable[str]) -> str:
    """Lines, the worst first, each with its place and text, under what failed."""
    names = sorted(failing)
    errors = {str(trace.tests[name].get("error", "")) for name in names} - {""}
    head = f"{len(names)} failing test(s), {', '.join(sorted(errors)) or 'no error'}; most suspicious lines first:"
    rows = [f"{line.path}:{line.number}: {line.text}" for line in lines]
    return "\n".join([head, *(rows or ["none in the files that may change"])])
