"""Which lines are suspicious: executed by failing tests and rarely by passing ones, on the failing path, named in it.

The spectrum formula is Ochiai's: failed / sqrt(all failing × all that executed the line) (Abreu, Zoeteweij and van
Gemund, "On the accuracy of spectrum-based fault localization", 2007).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FRAME_BONUS, LAST_FRAME_BONUS, WORD_BONUS = 0.25, 0.25, 0.1
IMPORTED = 0.15
"""Suspicion of lines that run at import in files on the failing path: constants, class bodies, signatures."""


@dataclass(frozen=True)
class Line:
    """A suspicious line of a file; `score` is comparable within one localisation only."""

    path: str
    number: int
    score: float


@dataclass(frozen=True)
class Trace:
    """What `kit/repair_trace.py` wrote: tests with outcomes and frames, and file → line → tests that executed it."""

    tests: Mapping[str, Mapping[str, Any]]
    lines: Mapping[str, Mapping[int, tuple[str, ...]]]
    modules: tuple[str, ...] = ()
    why: str = ""

    @classmethod
    def parse(cls, answer: Mapping[str, Any]) -> Trace:
        """The trace in the answer of the kit."""
        names = answer.get("names", [])
        lines = {
            path: {int(line): tuple(names[i] for i in tests) for line, tests in found.items()}
            for path, found in answer.get("lines", {}).items()
        }
        return cls(answer.get("tests", {}), lines, tuple(answer.get("modules", ())), answer.get("why", ""))

    def seconds(self) -> float:
        """How long all tests took together."""
        return float(sum(test["seconds"] for test in self.tests.values()))


def localise(trace: Trace, failing: set[str], allowed: Callable[[str], bool]) -> list[Line]:
    """All suspicious lines in allowed files, worst first. `failing` are the tests that must turn green."""
    frames = {(path, line) for test in failing for path, line, _ in trace.tests.get(test, {}).get("frames", [])}
    ends = {_last(trace, test, allowed) for test in failing}
    words = set(re.findall(r"[A-Za-z_]\w{2,}", " ".join(trace.tests.get(t, {}).get("words", "") for t in failing)))
    found = []
    for path, lines in trace.lines.items():
        if not allowed(path):
            continue
        hit = any(failing & set(tests) for tests in lines.values())
        for number, tests in lines.items():
            failed = len(failing & set(tests))
            score = failed / math.sqrt(len(failing) * len(tests)) if failed else IMPORTED if hit and not tests else 0.0
            if score:
                score += FRAME_BONUS * ((path, number) in frames) + LAST_FRAME_BONUS * ((path, number) in ends)
                found.append(Line(path, number, score))
    return sorted(found, key=lambda line: (-line.score, line.path, line.number)) if words or found else []


def _last(trace: Trace, test: str, allowed: Callable[[str], bool]) -> tuple[str, int] | None:
    frames = [(path, line) for path, line, _ in trace.tests.get(test, {}).get("frames", []) if allowed(path)]
    return frames[-1] if frames else None


def within(scope: str, lines: list[Line], trace: Trace, failing: set[str], trees: Mapping[str, ast.AST]) -> list[Line]:
    """Those of `lines` that the named scope covers.

    `traceback`: functions in the tracebacks of failing tests, or, where these end in the tests themselves, the most
    suspicious function. `function`: functions whose worst line is nearly as suspicious as the worst of all. `file`:
    files with such a function. `allowed`: everything.
    """
    if scope == "allowed" or not lines:
        return lines
    top = lines[0].score
    near = [line for line in lines if line.score >= 0.7 * top]
    if scope == "file":
        files = {line.path for line in near}
        return [line for line in lines if line.path in files]
    framed = {(path, number) for test in failing for path, number, _ in trace.tests.get(test, {}).get("frames", [])}
    marks = [line for line in lines if (line.path, line.number) in framed] if scope == "traceback" else near
    spans = {span for line in (marks or near) if (span := _function(trees[line.path], line))}
    return [line for line in lines if any(_inside(line, span) for span in spans)]


Span = tuple[str, int, int]


def _function(tree: ast.AST, line: Line) -> Span | None:
    """The innermost function that holds `line`; its decorators and signature belong to it."""
    best: Span | None = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            end = node.end_lineno or node.lineno
            inside = node.lineno <= line.number <= end
            if inside and (best is None or end - node.lineno < best[2] - best[1]):
                best = (line.path, node.lineno, end)
    return best


def _inside(line: Line, span: Span) -> bool:
    return line.path == span[0] and span[1] <= line.number <= span[2]
