"""Comparison and boundary: another comparison operator, or the two sides swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 1.0

_BOUNDARY: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">", ">=", "!=", "=="),
    ast.LtE: ("<", ">=", ">", "==", "!="),
    ast.Gt: (">=", "<", "<=", "!=", "=="),
    ast.GtE: (">", "<=", "<", "==", "!="),
    ast.Eq: ("!=", "<=", ">=", "is", "<", ">"),
    ast.NotEq: ("==", "<", ">", "is not", "<=", ">="),
    ast.In: ("not in", "==", "!="),
    ast.NotIn: ("in", "!="),
    ast.Is: ("is not", "=="),
    ast.IsNot: ("is", "!="),
}
"""Operator → what to try instead, the likeliest first."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """Another operator in a comparison of two."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = source.text(node.left), source.text(node.comparators[0])
        for operator in _BOUNDARY[type(node.ops[0])]:
            yield f"{left} {operator} {right}"
