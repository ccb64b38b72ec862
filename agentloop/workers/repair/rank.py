"""Candidates in the order in which they are worth trying, without those that can't be told apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from agentloop.workers.repair.evidence import evidence
from agentloop.workers.repair.localise import Line
from agentloop.workers.repair.shape import Shape, Shapes
from agentloop.workers.repair.source import Edit, Source
from agentloop.workers.repair.templates import PRIORS, edits_at

DEFAULT_PRIOR = 0.45
"""Of edits that name a template of their own."""

PAIRED = 60
"""The best single edits of which pairs are made."""


@dataclass(frozen=True)
class Candidate:
    """A file, `data` as it is, with one edit or two, in order of place; `score` compares within one search."""

    path: str
    data: bytes
    edits: tuple[Edit, ...]
    score: float

    @property
    def text(self) -> bytes:
        """The file with the edits made."""
        text, at = b"", 0
        for edit in self.edits:
            text += self.data[at : edit.start] + edit.text
            at = edit.end
        return text + self.data[at:]


def candidates(
    sources: Mapping[str, Source], lines: list[Line], edits: int, words: frozenset[str] = frozenset()
) -> Iterator[Candidate]:
    """Single edits (or pairs of the best) at `lines`, best first, each distinct as a program.

    What does not compile is left out. `words` are those of the failing assertions.
    """
    shapes = {path: Shapes(source) for path, source in sources.items()}
    if edits == 1:
        yield from _singles(sources, shapes, lines, words)
        return
    best = [candidate for _, candidate in zip(range(PAIRED), _singles(sources, shapes, lines, words), strict=False)]
    yield from _distinct(_pairs(best), shapes)


def _singles(
    sources: Mapping[str, Source], shapes: Mapping[str, Shapes], lines: list[Line], words: frozenset[str]
) -> Iterator[Candidate]:
    scores: dict[str, dict[int, float]] = {}
    for line in lines:
        scores.setdefault(line.path, {})[line.number] = line.score
    made: list[Candidate] = []
    for path, source in sources.items():
        spread = _spread(source, scores.get(path, {}))
        for edit in edits_at(source, set(spread)):
            prior = PRIORS.get(edit.template, DEFAULT_PRIOR)
            score = spread.get(edit.line, 0.1) * prior * evidence(edit, source, words)
            made.append(Candidate(path, source.data, (edit,), score))
    made.sort(key=lambda candidate: (-candidate.score, candidate.path, candidate.edits[0].start))
    return _distinct(made, shapes)


def _distinct(made: list[Candidate], shapes: Mapping[str, Shapes]) -> Iterator[Candidate]:
    """The first of each program, compiled only when its turn comes."""
    known: dict[str, set[Shape]] = {}
    for candidate in made:
        before = known.get(candidate.path) or known.setdefault(candidate.path, shapes[candidate.path].known())
        shape = shapes[candidate.path].of(*candidate.edits)
        if shape is not None and shape not in before:
            before.add(shape)
            yield candidate


def _spread(source: Source, scores: Mapping[int, float]) -> dict[int, float]:
    """Line scores carried over to all lines of a statement: coverage knows only the first of them.

    The head of a function stands for its first statement, so that signatures can be changed too.
    """
    spread = dict(scores)
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = [scores[line] for line in range(node.lineno, (node.end_lineno or 0) + 1) if line in scores]
            if inner:
                spread[node.lineno] = max(spread.get(node.lineno, 0.0), 0.5 * max(inner))
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef):
            last = _head_end(node)
            known = [scores[line] for line in range(node.lineno, last + 1) if line in scores]
            for line in range(node.lineno, last + 1) if known else ():
                spread.setdefault(line, max(known))
    return spread


def _head_end(node: ast.stmt) -> int:
    """The last line of a statement, or of the head of one that has a body."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.end_lineno or node.lineno
    first = body[0].lineno if isinstance(body[0], ast.stmt) else body[0].pattern.lineno
    return max(node.lineno, first - 1)


def _pairs(single: list[Candidate]) -> list[Candidate]:
    """Two of the best single edits of one file that do not overlap, best first."""
    found: list[Candidate] = []
    for first, second in combinations(single, 2):
        one, two = sorted((first.edits[0], second.edits[0]), key=lambda edit: (edit.start, edit.end))
        if first.path == second.path and one.end <= two.start and one.start != two.start:
            found.append(Candidate(first.path, first.data, (one, two), first.score * second.score))
    return sorted(found, key=lambda candidate: -candidate.score)
