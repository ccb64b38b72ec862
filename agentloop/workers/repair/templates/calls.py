"""A call around an expression, or one taken away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.4

WRAPPERS = ("int", "str", "len", "abs", "list", "sorted", "set", "float", "round", "sum", "max", "min", "bool", "dict")


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """``int(x)`` for ``x``, ``x`` for ``int(x)``, ``max(x, 0)``, ``x.strip()``, ``d.get(k)``."""
    text = source.text(node)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        yield source.text(node.args[0])
        yield f"-{text}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        yield source.text(node.func.value)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
        owner, key = source.text(node.value), source.text(node.slice)
        for default in ("", ", 0", ", []", ', ""', f", {key}"):
            yield f"{owner}.get({key}{default})"
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        yield f"[{text}]"
    parent = source.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)) and not called
    if plain and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        for wrapper in WRAPPERS:
            yield f"{wrapper}({text})"
        yield f"max({text}, 0)"
        yield f"[{text}]"
        simple = text if not isinstance(node, ast.BinOp) else f"({text})"
        for method in ("strip()", "lower()", "copy()"):
            yield f"{simple}.{method}"
