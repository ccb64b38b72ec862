"""Comparison and boundary: another comparison operator, in a chain one at a time, or the two sides swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 1.0

_BOUNDARY: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<", "<=", ">", ">=", "!=", "=="),
    ast.LtE: ("<=", "<", ">=", ">", "==", "!="),
    ast.Gt: (">", ">=", "<", "<=", "!=", "=="),
    ast.GtE: (">=", ">", "<=", "<", "==", "!="),
    ast.Eq: ("==", "!=", "<=", ">=", "is", "in", "<", ">"),
    ast.NotEq: ("!=", "==", "<", ">", "is not", "not in", "<=", ">="),
    ast.In: ("in", "not in", "==", "!="),
    ast.NotIn: ("not in", "in", "!="),
    ast.Is: ("is", "is not", "=="),
    ast.IsNot: ("is not", "is", "!="),
}
"""Operator → how it is written, then what to try instead, the likeliest first."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """The comparison with another operator in it."""
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        symbol, *instead = _BOUNDARY[type(operator)]
        start, end = source.operator(left, right, symbol)
        for number, other in enumerate(instead):
            yield source.changed(node, (start, end, other)), 1.0 if number < 2 else 0.7
    bound = node.comparators[-1]
    if isinstance(node.ops[-1], ast.Eq) and isinstance(bound, ast.Constant) and type(bound.value) is int:
        # A base case that is too narrow: both the operator and the bound are off.
        yield source.changed(node, (start, end, "<="), (*source.span(bound), str(bound.value + 1))), 0.6
    if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Lt, ast.Gt)):
        yield f"{source.side(node, False, end)} {symbol} {source.side(node, True, start)}", 0.5
