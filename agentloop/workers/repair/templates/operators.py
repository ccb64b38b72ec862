"""Another arithmetic, boolean or bitwise operator; a sign or a `not` less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.8

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
    """The same operands with another operator, or one of them alone."""
    if isinstance(node, ast.BinOp):
        left, right = source.text(node.left), source.text(node.right)
        for operator in _ARITHMETIC.get(type(node.op), ()):
            yield f"{left} {operator} {right}"
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        left, right = (source.text(value) for value in node.values)
        yield f"{left} {'or' if isinstance(node.op, ast.And) else 'and'} {right}"
        yield left
        yield right
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield source.text(node.operand)


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
