"""Which of several patches that all tests accept comes first: by what else the changed function does with them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentloop.workers.repair.hot import outermost
from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.place import Place, run_kit
from agentloop.workers.repair.rank import Candidate
from agentloop.workers.repair.source import Source

SECONDS = 20.0
"""Wall time for the comparison."""


@dataclass(frozen=True)
class Compared:
    """A patch beside the program as it was: recorded calls of passing tests that come out otherwise, and made-up
    calls that worked and now raise or hang; of so many each."""

    changed: int = 0
    kept: int = 0
    worse: int = 0
    made: int = 0

    @property
    def told(self) -> str:
        """In words; empty where nothing could be compared."""
        if not self.kept and not self.made:
            return ""
        return (
            f"{self.kept - self.changed} of {self.kept} recorded calls come out as before, "
            f"{self.worse} of {self.made} made-up calls now fail"
        )


def ordered(
    place: Place, trace: Trace, plausible: list[Candidate], sources: Mapping[str, Source], slot: str
) -> list[tuple[Candidate, Compared]]:
    """`plausible`, the best first: fewest edits, fewest calls changed, fewest failing anew, then as ranked."""
    compared = [(candidate, Compared()) for candidate in plausible]
    if len(plausible) > 1:
        groups: dict[tuple[str, int], list[Candidate]] = {}
        for candidate in plausible:
            if (line := _function(sources[candidate.path], candidate)) is not None:
                groups.setdefault((candidate.path, line), []).append(candidate)
        found: dict[int, Compared] = {}
        for (path, line), candidates in groups.items():
            for candidate, seen in zip(candidates, _compare(place, trace, path, line, candidates, slot), strict=False):
                found[id(candidate)] = seen
        compared = [(candidate, found.get(id(candidate), Compared())) for candidate in plausible]
    return sorted(compared, key=lambda pair: (len(pair[0].edits), pair[1].changed, pair[1].worse, -pair[0].score))


def _function(source: Source, candidate: Candidate) -> int | None:
    """The first line of the function that holds all edits."""
    first, last = candidate.edits[0].start, max(edit.end for edit in candidate.edits)
    for node, _, start in outermost(source):
        if start <= first and last <= source.span(node)[1]:
            return source.data.count(b"\n", 0, start) + 1
    return None


def _compare(
    place: Place, trace: Trace, path: str, line: int, candidates: list[Candidate], slot: str
) -> list[Compared]:
    known: Mapping[str, Any] = trace.calls.get(path, {}).get(str(line), {})
    good = [data for test, data in known.get("calls", ()) if trace.tests.get(test, {}).get("outcome") == "passed"]
    if not good:
        return []
    out = os.path.join(place.scratch, "behaviour.json")
    edits = [[[e.start, e.end, e.text.decode("utf-8")] for e in candidate.edits] for candidate in candidates]
    request = {
        "tree": slot, "root": place.folder, "path": path, "versions": [[], *edits], "module": known["module"],
        "name": known["name"], "calls": good, "out": out,
    }  # fmt: skip
    Path(out).unlink(missing_ok=True)
    # A server that was ended in the middle leaves its last candidate there.
    Path(slot, path).write_bytes(place.files[path])
    run_kit(place, "repair_behave.py", request, SECONDS)
    try:
        base, *others = json.loads(Path(out).read_bytes())
    except (OSError, ValueError):
        return []
    return [_beside(base, other) for other in others]


def _beside(base: Mapping[str, Any], other: Mapping[str, Any]) -> Compared:
    kept = list(zip(base["kept"], other["kept"], strict=False))
    made = list(zip(base["made"], other["made"], strict=False))
    worse = sum(1 for was, now in made if was[0] == "value" and now[0] != "value")
    return Compared(sum(1 for was, now in kept if was != now), len(kept), worse, len(made))
