"""Another arithmetic, boolean or bitwise operator; a sign or a `not` less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.8

SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
"""Operator → how it is written."""

_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*", "|"),
    ast.Sub: ("+", "*", "/", "//"),
    ast.Mult: ("/", "+", "//", "**", "-"),
    ast.Div: ("//", "*", "%"),
    ast.FloorDiv: ("/", "%", "*"),
    ast.Mod: ("//", "/"),
    ast.Pow: ("*",),
    ast.BitAnd: ("|", "^", "and"),
    ast.BitOr: ("&", "^", "+", "or"),
    ast.BitXor: ("&", "|"),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """The same operands with another operator, or one of them left out."""
    if isinstance(node, ast.BinOp):
        start, end = source.operator(node.left, node.right, SYMBOLS[type(node.op)])
        for operator in _ARITHMETIC.get(type(node.op), ()):
            spaced = f" {operator} " if operator.isalpha() and source.data[end : end + 1] != b" " else operator
            yield source.changed(node, (start, end, spaced))
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(node, source)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not, ast.Invert)):
        yield source.text(node.operand)


def _boolean(node: ast.BoolOp, source: Source) -> Iterator[str]:
    """``or`` for ``and`` and back, at every place and at each; one operand less."""
    symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    pairs = zip(node.values, node.values[1:], strict=False)
    places = [source.operator(left, right, symbol) for left, right in pairs]
    yield source.changed(node, *((start, end, other) for start, end in places))
    for start, end in places if len(places) > 1 else ():
        yield source.changed(node, (start, end, other))
    first, last = source.span(node)
    edges = [first, *(start for start, _ in places)], [*(end for _, end in places), last]
    for number in range(len(node.values)):
        cut = (edges[0][number], edges[1][number], "") if number else (first, edges[1][0], "")
        yield source.changed(node, cut).strip()


def statements(node: ast.stmt, source: Source, scope: Scope) -> Iterator[str]:
    """Another operator in an augmented assignment, or a plain one."""
    if isinstance(node, ast.AugAssign):
        target, value = source.text(node.target), source.text(node.value)
        for operator in _ARITHMETIC.get(type(node.op), ()):
            if operator not in ("and", "or"):
                yield f"{target} {operator}= {value}"
        yield f"{target} = {value}"
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield f"{source.text(node.targets[0])} += {source.text(node.value)}"
