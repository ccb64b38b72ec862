"""The search itself: trace the tests, rank candidates, have them tried, choose among those that all tests accept."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from agentloop.core.process import Ran
from agentloop.roles.rules import SCOPES
from agentloop.workers.repair.localise import Line, Trace, localise, within
from agentloop.workers.repair.rank import Candidate, candidates
from agentloop.workers.repair.source import Source

TRACE_SECONDS = 300.0
WANTED = 3
"""Plausible patches after which a search stops: enough to choose among."""


@dataclass(frozen=True)
class Place:
    """Where a search happens: a tree on disk, a scratch folder, and what runs the kit's scripts there.

    `launch` runs an argument list within so many seconds; `files` maps the tree's Python files to their bytes;
    `allowed` says which may change; `borrow` is a folder that holds the package `coverage`.
    """

    folder: str
    scratch: str
    kit: str
    python: str
    launch: Callable[[tuple[str, ...], float, Mapping[str, str]], Ran]
    files: Mapping[str, bytes]
    allowed: Callable[[str], bool]
    borrow: str


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


@dataclass(frozen=True)
class Found:
    """What a search found. `exhausted` says that every candidate of the scope was tried.

    `plausible` are candidates that all tests accept, the chosen one first; `tried` how many were run; `suspects` the
    most suspicious lines, for a hand-off; `covered` the wider scopes that hold no other line; `why` a reason where no
    search was possible.
    """

    plausible: tuple[Candidate, ...] = ()
    tried: int = 0
    total: int = 0
    seconds: float = 0.0
    exhausted: bool = False
    covered: tuple[str, ...] = ()
    suspects: tuple[Line, ...] = ()
    why: str = ""


def traced(place: Place, aim: Aim) -> Trace:
    """Which tests executed which lines. Its `why` is set where that could not be found out."""
    out = os.path.join(place.scratch, "trace.json")
    tests = sorted({*aim.failing, *aim.passing})
    request = {"tree": place.folder, "targets": tests, "out": out, "borrow": place.borrow}
    ran = _kit(place, "repair_trace.py", request, TRACE_SECONDS)
    try:
        return Trace.parse(json.loads(Path(out).read_bytes()))
    except (OSError, ValueError):
        return Trace({}, {}, why=f"the tests could not be traced: {ran.said} {ran.stderr.text[-300:]}".strip())


def search(place: Place, aim: Aim, trace: Trace) -> Found:
    """Search one scope with one number of edits."""
    failing = {test for test in aim.failing if trace.tests.get(test, {}).get("outcome") in ("failed", "error")}
    if not failing:
        return Found(why=trace.why or "the failing tests can't be run one by one, so no line is suspicious")
    suspects = localise(trace, failing, lambda path: path in place.files and place.allowed(path))
    sources = _sources(place, {line.path for line in suspects})
    trees: dict[str, ast.AST] = {path: source.tree for path, source in sources.items()}
    suspects = [line for line in suspects if line.path in sources]
    before = {line for scope in aim.searched for line in within(scope, suspects, trace, failing, trees)}
    chosen = [line for line in within(aim.scope, suspects, trace, failing, trees) if line not in before]
    seen = before | set(chosen)
    wider = SCOPES[SCOPES.index(aim.scope) + 1 :]
    covered = tuple(s for s in wider if seen.issuperset(within(s, suspects, trace, failing, trees)))
    ranked = list(islice(candidates(sources, chosen, aim.edits), aim.most + 1))
    cut, ranked = len(ranked) > aim.most, ranked[: aim.most]
    outcomes, seconds, finished = _tried(place, aim, trace, sorted(failing), ranked)
    plausible = [candidate for number, candidate in enumerate(ranked) if outcomes.get(number) == "passed"]
    return Found(
        plausible=tuple(sorted(plausible, key=lambda c: (len(c.edits), -c.score))),
        tried=len(outcomes),
        total=len(ranked),
        seconds=seconds,
        exhausted=finished and not cut,
        covered=covered,
        suspects=tuple(suspects[:10]),
    )


def _sources(place: Place, paths: set[str]) -> dict[str, Source]:
    sources = {}
    for path in sorted(paths):
        try:
            sources[path] = Source(path, place.files[path])
        except (SyntaxError, ValueError):
            continue
    return sources


def _tried(
    place: Place, aim: Aim, trace: Trace, failing: list[str], ranked: list[Candidate]
) -> tuple[dict[int, str], float, bool]:
    """Candidate number → outcome, seconds used, and whether every candidate was tried."""
    if not ranked:
        return {}, 0.0, True
    names = {name: os.path.join(place.scratch, name) for name in ("candidates.jsonl", "results.jsonl")}
    with open(names["candidates.jsonl"], "w", encoding="utf-8") as file:
        for number, candidate in enumerate(ranked):
            text = candidate.text.decode("utf-8")
            file.write(json.dumps({"id": number, "path": candidate.path, "text": text}) + "\n")
    Path(names["results.jsonl"]).write_bytes(b"")
    slots = []
    for number in range(aim.slots):
        slot = os.path.join(place.scratch, f"slot-{number}")
        shutil.rmtree(slot, ignore_errors=True)
        shutil.copytree(place.folder, slot, symlinks=True)
        slots.append(slot)
    request = {
        "slots": slots,
        "candidates": names["candidates.jsonl"],
        "results": names["results.jsonl"],
        "failing": failing,
        "passing": [test for test in aim.passing if test not in failing],
        "modules": list(trace.modules),
        "want": WANTED,
        "seconds": aim.seconds,
        "limit": 1.0 + 4.0 * trace.seconds(),
    }
    ran = _kit(place, "repair_server.py", request, aim.seconds + 30)
    rows = [json.loads(row) for row in Path(names["results.jsonl"]).read_text().splitlines()]
    outcomes = {int(row["id"]): str(row["outcome"]) for row in rows}
    return outcomes, ran.seconds, ran.ok and len(outcomes) == len(ranked)


def _kit(place: Place, script: str, request: Mapping[str, Any], seconds: float) -> Ran:
    path = os.path.join(place.scratch, f"{script}.json")
    Path(path).write_text(json.dumps(request), encoding="utf-8")
    return place.launch((place.python, os.path.join(place.kit, script), path), seconds, {})
