"""The search itself: trace the tests, rank candidates, have them tried, choose among those that all tests accept."""

from __future__ import annotations

import ast
import json
import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from agentloop.checks.pytest_ids import within as lies_within
from agentloop.roles.rules import SCOPES
from agentloop.workers.repair.choose import ordered
from agentloop.workers.repair.localise import Line, Trace, localise, within
from agentloop.workers.repair.place import Aim, Place, run_kit
from agentloop.workers.repair.rank import Candidate, candidates
from agentloop.workers.repair.source import Source
from agentloop.workers.repair.trial import tried

__all__ = ["Aim", "Found", "Place", "search", "traced"]

TRACE_SECONDS = 300.0
PER_SECOND = 300.0
"""Candidates made for a second of search; more could not be tried anyway."""


@dataclass(frozen=True)
class Found:
    """What a search found. `exhausted` says that every candidate of the scope was tried.

    `plausible` are candidates that all tests accept, the chosen one first, `notes` what each does beside
    the tests; `tried` how many were run; `suspects` the
    most suspicious lines, for a hand-off; `covered` the wider scopes that hold no other line; `why` a reason where no
    search was possible.
    """

    plausible: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
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
    ran = run_kit(place, "repair_trace.py", request, TRACE_SECONDS)
    try:
        return Trace.parse(json.loads(Path(out).read_bytes()))
    except (OSError, ValueError):
        return Trace({}, {}, why=f"the tests could not be traced: {ran.said} {ran.stderr.text[-300:]}".strip())


def search(place: Place, aim: Aim, trace: Trace) -> Found:
    """Search one scope with one number of edits."""
    failing = failing_of(trace, aim.failing)
    if not failing:
        return Found(why=nothing_to_go_by(trace))
    aim = replace(aim, passing=tuple(sorted({*aim.passing, *_of(trace, aim.failing, ("passed",))})))
    texts = {
        path: place.files[path].decode("utf-8", "replace").split("\n") for path in trace.lines if path in place.files
    }
    suspects = localise(trace, failing, lambda path: path in place.files and place.allowed(path), texts)
    sources = _sources(place, {line.path for line in suspects}, trace)
    trees: dict[str, ast.AST] = {path: source.tree for path, source in sources.items()}
    suspects = [line for line in suspects if line.path in sources]
    before = {line for scope in aim.searched for line in within(scope, suspects, trace, failing, trees)}
    chosen = [line for line in within(aim.scope, suspects, trace, failing, trees) if line not in before]
    seen = before | set(chosen)
    wider = SCOPES[SCOPES.index(aim.scope) + 1 :]
    covered = tuple(s for s in wider if seen.issuperset(within(s, suspects, trace, failing, trees)))
    most = min(aim.most, max(1, int(aim.seconds * PER_SECOND)))
    ranked = list(islice(candidates(sources, chosen, aim.edits, trace.words(failing)), most + 1))
    cut, ranked = len(ranked) > most, ranked[:most]
    outcomes, seconds, why = tried(place, aim, trace, sorted(failing), ranked, sources)
    plausible = [candidate for number, candidate in enumerate(ranked) if outcomes.get(number) == "passed"]
    best = ordered(place, trace, plausible, sources, os.path.join(place.scratch, "slot-0"))
    return Found(
        plausible=tuple(candidate for candidate, _ in best),
        notes=tuple(seen.told for _, seen in best),
        tried=len(outcomes),
        total=len(ranked),
        seconds=seconds,
        exhausted=len(outcomes) == len(ranked) and not cut,
        covered=covered,
        suspects=tuple(suspects[:10]),
        why=why,
    )


def failing_of(trace: Trace, targets: tuple[str, ...]) -> set[str]:
    """The tests that failed, of those that `targets` (ids, files, folders) name."""
    return _of(trace, targets, ("failed", "error"))


def _of(trace: Trace, targets: tuple[str, ...], outcomes: tuple[str, ...]) -> set[str]:
    ran = [test for test, seen in trace.tests.items() if seen["outcome"] in outcomes]
    exact = set(targets)
    wide = [target for target in targets if target not in trace.tests]
    return {test for test in ran if test in exact or any(lies_within(target, test) for target in wide)}


def nothing_to_go_by(trace: Trace) -> str:
    """Why there is nothing to search by."""
    told = [line for error in trace.errors[:1] for line in error.splitlines() if line.startswith("E ")]
    because = f" ({told[-1][1:].strip()})" if told else ""
    return trace.why or f"the failing tests can't be run one by one{because}, so no line is suspicious"


def _sources(place: Place, paths: set[str], trace: Trace) -> dict[str, Source]:
    sources = {}
    for path in sorted(paths):
        try:
            sources[path] = Source(path, place.files[path], trace.types.get(path))
        except (SyntaxError, ValueError):
            continue
    return sources
