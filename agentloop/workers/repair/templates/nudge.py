"""Off by one: ±1 on constants, names, bounds of slices and ranges, and indices."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.9

_COUNTING = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """One more and one less."""
    parent = source.parents.get(node)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield str(node.value + 1)
        yield str(node.value - 1) if node.value > 0 else f"({node.value - 1})"
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        last = node.right
        if isinstance(last, ast.Constant) and type(last.value) is int and last.value == 1:
            yield source.text(node.left)
    text = source.text(node)
    kind = scope.kind(node.id) if isinstance(node, ast.Name) else ""
    if isinstance(node, _COUNTING) and _counts(node, parent) and kind in ("", "number"):
        near = 0.6 if isinstance(parent, (ast.BinOp, ast.Tuple)) else 1.0
        yield f"{text} + 1", near
        yield f"{text} - 1", near


def _counts(node: ast.expr, parent: ast.AST | None) -> bool:
    """Whether a number is likely wanted here: a bound, an index, a side of a comparison or of arithmetic."""
    if isinstance(parent, ast.Call) and node in parent.args:
        return isinstance(parent.func, ast.Name) and parent.func.id in ("range", "min", "max", "randrange")
    if isinstance(parent, ast.Subscript):
        return node is parent.slice
    return isinstance(parent, (ast.Slice, ast.Compare, ast.Return, ast.Assign, ast.AugAssign, ast.BinOp, ast.Tuple))
