"""Has candidates tried by the kit's server, and reads what became of them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.place import Aim, Place, run_kit
from agentloop.workers.repair.rank import Candidate

WANTED = 3
"""Plausible patches after which a search stops: enough to choose among."""

STARTING = 60.0
"""Seconds that the server may need beside those of the search."""

CANDIDATES, RESULTS = "candidates.jsonl", "results.jsonl"


def tried(
    place: Place, aim: Aim, trace: Trace, failing: list[str], ranked: list[Candidate]
) -> tuple[dict[int, str], float, str]:
    """Candidate number → outcome, seconds used, and why nothing could be tried, where that is so."""
    if not ranked:
        return {}, 0.0, ""
    # A test that does not pass as things are would refuse every candidate.
    sound = {test for test, found in trace.tests.items() if found["outcome"] == "passed"}
    passing = [test for test in aim.passing if test not in failing and test in sound]
    _write(place, trace, ranked, passing)
    results = Path(place.scratch, RESULTS)
    results.write_bytes(b"")
    limits = (1.0 + 3.0 * trace.seconds(failing), 1.0 + 3.0 * trace.seconds(passing))
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
    }
    ran = run_kit(place, "repair_server.py", request, aim.seconds + STARTING + 2 * sum(limits))
    rows = [json.loads(row) for row in results.read_text(encoding="utf-8").splitlines()]
    outcomes = {int(row["id"]): str(row["outcome"]) for row in rows}
    why = "" if rows else f"the candidates could not be tried: {ran.said} {ran.stderr.text[-300:]}".strip()
    return outcomes, ran.seconds, why


def _write(place: Place, trace: Trace, ranked: list[Candidate], passing: list[str]) -> None:
    """The candidates as lines of JSON, each with the passing tests that execute what it changes."""
    number_of = {test: number for number, test in enumerate(passing)}
    with open(os.path.join(place.scratch, CANDIDATES), "w", encoding="utf-8") as file:
        for number, candidate in enumerate(ranked):
            edits = [(edit.start, edit.end, edit.text.decode("utf-8")) for edit in candidate.edits]
            near: set[int] = set()
            for edit in candidate.edits:
                last = edit.line + candidate.data[edit.start : edit.end].count(b"\n")
                near |= {number_of[t] for t in trace.covering(candidate.path, edit.line, last) if t in number_of}
            row = {"id": number, "path": candidate.path, "edits": edits, "near": sorted(near)}
            file.write(json.dumps(row) + "\n")


def _slots(place: Place, number: int) -> list[str]:
    """Fresh copies of the tree, without bytecode."""
    slots = [os.path.join(place.scratch, f"slot-{index}") for index in range(number)]
    for slot in slots:
        shutil.rmtree(slot, ignore_errors=True)
        leave = shutil.ignore_patterns("__pycache__", "*.pyc", ".git")
        shutil.copytree(place.folder, slot, symlinks=True, ignore=leave)
    return slots
