"""Has candidates tried by the kit's server, and reads what became of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentloop.workers.repair.hot import part
from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.place import Aim, Place, run_kit
from agentloop.workers.repair.progress import counted
from agentloop.workers.repair.rank import Candidate
from agentloop.workers.repair.source import Source

WANTED = 3
"""Plausible patches after which a search stops: enough to choose among."""

STARTING = 60.0
"""Seconds that the server may need beside those of the search."""

WALL = 2.0
"""Wall time for the processor time that a run may take: other work on the machine is not the candidate's fault."""

CANDIDATES, RESULTS = "candidates.jsonl", "results.jsonl"


def tried(
    place: Place,
    aim: Aim,
    trace: Trace,
    failing: list[str],
    ranked: list[Candidate],
    sources: Mapping[str, Source],
) -> tuple[dict[int, str], float, str]:
    """Candidate number → outcome, seconds used, and why nothing could be tried, where that is so."""
    if not ranked:
        return {}, 0.0, ""
    # A test that does not pass as things are would refuse every candidate.
    sound = {test for test, found in trace.tests.items() if found["outcome"] == "passed"}
    passing = [test for test in aim.passing if test not in failing and test in sound]
    # Those that end, and the quick ones, tell soonest that a candidate is no good.
    failing = sorted(failing, key=lambda test: (trace.tests[test].get("hung", False), trace.tests[test]["seconds"]))
    _write(place, trace, ranked, passing, sources)
    results = Path(place.scratch, RESULTS)
    results.write_bytes(b"")
    each = trace.limits([*failing, *passing])
    limits = tuple(WALL + WALL * sum(each[test] for test in group) for group in (failing, passing))
    request = {
        "tree": place.folder,
        "slots": _slots(place, aim.slots),
        "candidates": os.path.join(place.scratch, CANDIDATES),
        "results": str(results),
        "failing": failing,
        "passing": passing,
        "modules": list(trace.modules),
        "want": WANTED,
        "seconds": aim.seconds,
        "limits": limits,
        "each": each,
    }
    with counted(results, place.tell):
        ran = run_kit(place, "repair_server.py", request, aim.seconds + STARTING + 2 * sum(limits))
    rows = [json.loads(row) for row in results.read_text(encoding="utf-8").splitlines()]
    outcomes = {int(row["id"]): str(row["outcome"]) for row in rows}
    why = "" if rows else f"the candidates could not be tried: {ran.said} {ran.stderr.text[-300:]}".strip()
    return outcomes, ran.seconds, why


def _write(
    place: Place, trace: Trace, ranked: list[Candidate], passing: list[str], sources: Mapping[str, Source]
) -> None:
    """The candidates as lines of JSON, each with the passing tests that execute what it changes."""
    number_of = {test: number for number, test in enumerate(passing)}
    with open(os.path.join(place.scratch, CANDIDATES), "w", encoding="utf-8") as file:
        for number, candidate in enumerate(ranked):
            edits = [(edit.start, edit.end, edit.text.decode("utf-8")) for edit in candidate.edits]
            near: set[int] = set()
            for edit in candidate.edits:
                last = edit.line + candidate.data[edit.start : edit.end].count(b"\n")
                near |= {number_of[t] for t in trace.covering(candidate.path, edit.line, last) if t in number_of}
            row: dict[str, Any] = {"id": number, "path": candidate.path, "edits": edits, "near": sorted(near)}
            row["part"] = part(sources[candidate.path], candidate.edits, trace)
            file.write(json.dumps(row) + "\n")


def _slots(place: Place, number: int) -> list[str]:
    """Fresh copies of the tree, without bytecode."""
    slots = [os.path.join(place.scratch, f"slot-{index}") for index in range(number)]
    for slot in slots:
        shutil.rmtree(slot, ignore_errors=True)
        leave = shutil.ignore_patterns("__pycache__", "*.pyc", ".git")
        shutil.copytree(place.folder, slot, symlinks=True, ignore=leave)
    return slots
