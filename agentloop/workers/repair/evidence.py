"""Cheap signs that an edit is the right one: its size, what the failing test speaks of, names that lie idle."""

from __future__ import annotations

import ast
import re
from collections import Counter

from agentloop.workers.repair.source import Edit, Function, Source

NAMED = 1.15
"""The edit brings a word that the failing assertion holds."""

USED = 1.5
"""The edit uses a parameter or variable that nothing used."""

IDLE = 0.7
"""The edit leaves a parameter or variable that nothing uses any more."""

WORD = re.compile(r"[A-Za-z_]\w*")


def evidence(edit: Edit, source: Source, words: frozenset[str]) -> float:
    """A factor of the edit's score; 1.0 is neutral. `words` are those of the failing assertions."""
    before = Counter(WORD.findall(source.data[edit.start : edit.end].decode("utf-8", "replace")))
    after = Counter(WORD.findall(edit.text.decode("utf-8", "replace")))
    factor = edit.weight / (1.0 + len(edit.text) / 400)
    if (after - before).keys() & words:
        factor *= NAMED
    reads = _reads(source, edit.line)
    if any(reads.get(name) == 0 for name in after - before):
        factor *= USED
    if any(reads.get(name) == lost for name, lost in (before - after).items() if lost):
        factor *= IDLE
    return factor


def _reads(source: Source, line: int) -> dict[str, int]:
    """How often each parameter and local variable of the function around `line` is read."""
    spans = source.known.get("reads")
    if spans is None:
        nodes = [node for node in ast.walk(source.tree) if isinstance(node, Function)]
        spans = source.known["reads"] = [
            (node.lineno, node.end_lineno or node.lineno, _counted(node)) for node in nodes
        ]
    around = [(last - first, reads) for first, last, reads in spans if first <= line <= last]
    return min(around, key=lambda item: item[0])[1] if around else {}


def _counted(function: Function) -> dict[str, int]:
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    reads = {
        node.arg: 0 for node in ast.walk(function) if isinstance(node, ast.arg) and node.arg not in ("self", "cls")
    }
    reads |= {node.id: 0 for node in names if isinstance(node.ctx, ast.Store)}
    for node in names:
        if isinstance(node.ctx, ast.Load) and node.id in reads:
            reads[node.id] += 1
    return reads
