"""An expression replaced by another that stands in the function: an index, a call, an attribute, or by a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.5

MOST = 8
"""Expressions that are tried, nearest first."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """What is read or written somewhere else in the function; for a call or an index, a name too."""
    if not isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    written = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if isinstance(parent, (ast.Attribute, ast.Subscript)) and node is parent.value:
        return
    text = source.text(node)
    if written and not isinstance(node, ast.Subscript):
        return
    sorts = (ast.Subscript,) if written else (type(node), ast.Subscript)
    yield from others(scope.like(sorts), text)[:MOST]
    for name in others(scope.names, text)[:MOST] if not written else ():
        yield name, 0.9
