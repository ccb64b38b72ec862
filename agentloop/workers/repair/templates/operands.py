"""Operands swapped, or one side of an operation left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source
from agentloop.workers.repair.templates.operators import SYMBOLS

PRIOR = 0.6

_DIRECTED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.Add, ast.MatMult)
"""Where the order of the operands matters; for text and lists it does in a sum."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """``b - a`` for ``a - b``, ``a`` for ``a - b``."""
    if isinstance(node, ast.Tuple) and 2 <= len(node.elts) <= 4 and isinstance(node.ctx, ast.Load):
        for first, second in combinations(node.elts, 2):
            swapped = ((*source.span(first), source.text(second)), (*source.span(second), source.text(first)))
            yield source.changed(node, *swapped)
    if not isinstance(node, ast.BinOp):
        return
    start, end = source.operator(node.left, node.right, SYMBOLS[type(node.op)])
    left, right = source.side(node, True, start), source.side(node, False, end)
    if isinstance(node.op, _DIRECTED):
        bare = isinstance(node.left, ast.BinOp) and not left.startswith("(")
        yield f"{right} {SYMBOLS[type(node.op)]} {f'({left})' if bare else left}"
    yield left
    yield right
