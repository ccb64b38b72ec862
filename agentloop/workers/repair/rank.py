"""Candidates in the order in which they are worth trying, without those that can't be told apart."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from agentloop.workers.repair.localise import Line
from agentloop.workers.repair.source import Edit, Source
from agentloop.workers.repair.templates import PRIORS, edits_at

DEFAULT_PRIOR = 0.45
"""Of edits that name a template of their own."""

PAIRED = 60
"""The best single edits of which pairs are made."""


@dataclass(frozen=True)
class Candidate:
    """A file with one edit or two; `score` is comparable within one search only."""

    path: str
    text: bytes
    edits: tuple[Edit, ...]
    score: float


def candidates(sources: Mapping[str, Source], lines: list[Line], edits: int) -> Iterator[Candidate]:
    """Single edits (or pairs of the best) at `lines`, best first, each distinct as a program."""
    single = _singles(sources, lines)
    return iter(single) if edits == 1 else _pairs(sources, single)


def _singles(sources: Mapping[str, Source], lines: list[Line]) -> list[Candidate]:
    scores: dict[str, dict[int, float]] = {}
    for line in lines:
        scores.setdefault(line.path, {})[line.number] = line.score
    made: list[Candidate] = []
    for path, source in sources.items():
        known = {ast.dump(source.tree)}
        spread = _spread(source, scores.get(path, {}))
        for edit in edits_at(source, set(spread)):
            text = source.edited(edit)
            shape = _shape(text)
            if shape is None or shape in known:
                continue
            known.add(shape)
            prior = PRIORS.get(edit.template, DEFAULT_PRIOR)
            score = spread.get(edit.line, 0.1) * prior * _size(edit)
            made.append(Candidate(path, text, (edit,), score))
    return sorted(made, key=lambda candidate: (-candidate.score, candidate.path, candidate.edits[0].start))


def _spread(source: Source, scores: Mapping[int, float]) -> dict[int, float]:
    """Line scores carried over to all lines of a statement: coverage knows only the first of them.

    The head of a function stands for its first statement, so that signatures can be changed too.
    """
    spread = dict(scores)
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = [spread[line] for line in range(node.lineno, (node.end_lineno or 0) + 1) if line in scores]
            if inner:
                spread[node.lineno] = max(spread.get(node.lineno, 0.0), 0.5 * max(inner))
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.Raise)):
            if node.lineno in scores:
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    spread.setdefault(line, scores[node.lineno])
        elif isinstance(node, (ast.If, ast.While)) and node.lineno in scores:
            for line in range(node.lineno, (node.test.end_lineno or node.lineno) + 1):
                spread.setdefault(line, scores[node.lineno])
    return spread


def _size(edit: Edit) -> float:
    """Small edits are likelier than large ones."""
    return 1.0 / (1.0 + len(edit.text) / 400)


def _shape(text: bytes) -> str | None:
    """The program as syntax: what differs only in layout is one; what does not parse is none."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _pairs(sources: Mapping[str, Source], single: list[Candidate]) -> Iterator[Candidate]:
    """Two of the best single edits of one file that do not overlap."""
    best: list[tuple[float, int, Candidate]] = []
    for number, (first, second) in enumerate(combinations(single[:PAIRED], 2)):
        one, two = sorted((first.edits[0], second.edits[0]), key=lambda edit: edit.start)
        if first.path != second.path or one.end > two.start or one.start == two.start:
            continue
        data = sources[first.path].data
        text = data[: one.start] + one.text + data[one.end : two.start] + two.text + data[two.end :]
        pair = Candidate(first.path, text, (one, two), first.score * second.score)
        best.append((-pair.score, number, pair))
    heapq.heapify(best)
    while best:
        candidate = heapq.heappop(best)[2]
        if _shape(candidate.text) is not None:
            yield candidate
