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

from agentloop.workers.repair.trace import WORD, Trace

__all__ = ["Line", "Trace", "localise", "within"]

FRAME_BONUS, LAST_FRAME_BONUS, WORD_BONUS = 0.25, 0.25, 0.1
IMPORTED, USED_IMPORT = 0.15, 0.4
"""Suspicion of lines that run at import in files on the failing path (constants, class bodies, signatures), and of
those that bind a name which a line of the failing path holds."""

BOUND = re.compile(r"\s*([A-Za-z_]\w{2,})\s*(?::[^=]*)?=(?!=)")
"""A line that binds a name at the top of a module or of a class."""


@dataclass(frozen=True)
class Line:
    """A suspicious line of a file, as `text` tells it; `score` is comparable within one localisation only."""

    path: str
    number: int
    score: float
    text: str = ""


def localise(
    trace: Trace, failing: set[str], allowed: Callable[[str], bool], texts: Mapping[str, list[str]] | None = None
) -> list[Line]:
    """All suspicious lines in allowed files, worst first. `failing` are the tests that must turn green.

    `texts` are the lines of files: a line that holds words of the failing assertions counts a little more.
    """
    frames = {(path, line) for test in failing for path, line, _ in trace.tests.get(test, {}).get("frames", [])}
    ends = {_last(trace, test, allowed) for test in failing}
    words = trace.words(failing)
    found = []
    mine = [lines for path, lines in trace.lines.items() if allowed(path)]
    # Where failing tests execute nothing that may change, what ran at import is all that can be at fault.
    anywhere = any(failing & set(tests) for lines in mine for tests in lines.values())
    for path, lines in trace.lines.items():
        if not allowed(path):
            continue
        written = (texts or {}).get(path, [])
        hit = any(failing & set(tests) for tests in lines.values())
        used = named(lines, written, failing) if hit or not anywhere else frozenset()
        for number, tests in lines.items():
            failed = len(failing & set(tests))
            score = failed / math.sqrt(len(failing) * len(tests)) if failed else 0.0
            if not tests and (hit or not anywhere):
                score = USED_IMPORT if number in used else IMPORTED
            if score:
                text = written[number - 1].strip() if 0 < number <= len(written) else ""
                score += FRAME_BONUS * ((path, number) in frames) + LAST_FRAME_BONUS * ((path, number) in ends)
                score += WORD_BONUS * bool(words.intersection(WORD.findall(text)))
                found.append(Line(path, number, score, text))
    return sorted(found, key=lambda line: (-line.score, line.path, line.number))


def named(lines: Mapping[int, tuple[str, ...]], written: list[str], failing: set[str]) -> frozenset[int]:
    """Lines run at import only that bind a name which lines that failing tests execute hold, in the same file."""
    texts = {number: written[number - 1] for number in lines if 0 < number <= len(written)}
    spoken = {word for number, text in texts.items() if failing & set(lines[number]) for word in WORD.findall(text)}
    bound = {number: BOUND.match(text) for number, text in texts.items() if not lines[number]}
    return frozenset(number for number, found in bound.items() if found and found[1] in spoken)


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
    heads = {path: _functions(tree) for path, tree in trees.items()}
    marks = [line for line in lines if (line.path, line.number) in framed] if scope == "traceback" else near
    spans = {span for line in (marks or near) if (span := _function(heads[line.path], line))}
    return [line for line in lines if any(_inside(line, span) for span in spans)]


Span = tuple[str, int, int]


def _functions(tree: ast.AST) -> list[tuple[int, int]]:
    """First and last line of each function; what stands in its signature belongs to it, its decorators do not."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, defined)]


def _function(heads: list[tuple[int, int]], line: Line) -> Span | None:
    """The innermost function that holds `line`."""
    around = [(end - start, start, end) for start, end in heads if start <= line.number <= end]
    return (line.path, *min(around)[1:]) if around else None


def _inside(line: Line, span: Span) -> bool:
    return line.path == span[0] and span[1] <= line.number <= span[2]
