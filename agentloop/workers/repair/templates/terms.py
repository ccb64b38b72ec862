"""One term more: a name of the scope added or taken away, a square, a value kept within another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.5


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """``x - y`` and ``x + y`` for ``x``; ``x ** 2``; sums of lists and texts on either side."""
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    parent = source.parents.get(node)
    text = source.text(node)
    if isinstance(node, ast.Name) and scope.kind(node.id) in ("number", "") and _counts(node, parent):
        weight = 1.0 if scope.kind(node.id) else 0.4
        for other in others(scope.names, text)[:6]:
            if scope.kind(other) in ("number", ""):
                yield f"{text} - {other}", weight
                yield f"{text} + {other}", weight
        yield f"{text} ** 2", weight * 0.9
        yield f"{text} * 2", weight * 0.8
    elif isinstance(parent, (ast.Return, ast.Assign)) and isinstance(node, (ast.ListComp, ast.List, ast.Call)):
        for other in others(scope.names, text)[:6]:
            if scope.kind(other) in ("list", "text", ""):
                yield f"{other} + {text}", 0.9
                yield f"{text} + {other}", 0.9


def statements(node: ast.stmt, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """``x = max(x, value)``, ``x = value + 1``, ``x = x or value``: a new value that heeds the old one."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return
    name, value = node.targets[0].id, source.text(node.value)
    numbers = scope.kind(name) in ("number", "")
    for function in ("max", "min") if numbers else ():
        yield f"{name} = {function}({name}, {value})"
        yield f"{name} = {function}({value}, 0)", 0.9
    yield f"{name} = {name} or {value}", 0.5


def _counts(node: ast.expr, parent: ast.AST | None) -> bool:
    if isinstance(parent, ast.Call):
        return node in parent.args
    return isinstance(parent, (ast.Return, ast.Assign, ast.Compare, ast.BinOp, ast.Slice, ast.Subscript, ast.Tuple))
