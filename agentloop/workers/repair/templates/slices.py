"""A part of a sequence instead of the whole, another bound, or the whole instead of a part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.5

SEQUENCES = ("list", "text", "deque")
UNKNOWN = 0.5
"""Weight where nobody saw what the name holds."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """``x[1:]``, ``x[:-1]``, ``x[n:]``, ``x[:n]`` and ``x[::-1]`` for ``x``; other bounds of a slice."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
        yield source.text(node.value)
        yield from _bounds(node, node.slice, source)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load):
        kind = scope.kind(node.id) if isinstance(node, ast.Name) else ""
        if not _whole(node, source.parents.get(node)) or (kind and kind not in SEQUENCES):
            return
        text, weight = source.text(node), 1.0 if kind else UNKNOWN
        bounds = [name for name in others(scope.names, text) if scope.kind(name) == "number"][:4]
        for part in ("1:", ":-1", *(f"{name}:" for name in bounds), *(f":{name}" for name in bounds), "::-1", ":"):
            yield f"{text}[{part}]", weight


def _whole(node: ast.expr, parent: ast.AST | None) -> bool:
    """Whether a sequence may be meant here: what is looped over, given, returned or assigned."""
    if isinstance(parent, ast.Call):
        return node in parent.args
    if isinstance(parent, (ast.For, ast.comprehension)):
        return node is parent.iter
    return isinstance(parent, (ast.Return, ast.Assign, ast.Starred, ast.keyword, ast.BinOp, ast.Yield))


def _bounds(node: ast.Subscript, cut: ast.Slice, source: Source) -> Iterator[str]:
    owner = source.text(node.value)
    lower, upper = (source.text(bound) if bound else "" for bound in (cut.lower, cut.upper))
    for low, high in (("", upper), (lower, ""), ("1", upper), (lower, "-1"), (upper, lower)):
        if (low, high) != (lower, upper) and (low or high):
            yield f"{owner}[{low}:{high}]"
