"""Operands swapped, or one side of an operation left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.6


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """``b - a`` for ``a - b``, ``a`` for ``a - b``."""
    if not isinstance(node, ast.BinOp):
        return
    left, right = source.text(node.left), source.text(node.right)
    simple = not isinstance(node.left, ast.BinOp) and not isinstance(node.right, ast.BinOp)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)) and simple:
        symbol = source.data[source.span(node.left)[1] : source.span(node.right)[0]].decode().strip(" ()")
        yield f"{right} {symbol} {left}"
    if isinstance(node.op, ast.Add) and simple:
        yield f"{right} + {left}"  # it matters for text and lists
    yield left
    yield right
