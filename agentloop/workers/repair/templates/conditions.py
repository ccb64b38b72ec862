"""Conditions negated, strengthened or weakened by another one from nearby."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.6


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """What an `if`, a `while` or a filter may ask instead."""
    parent = source.parents.get(node)
    asked = isinstance(parent, (ast.If, ast.While, ast.IfExp)) and node is parent.test
    if not asked and not (isinstance(parent, ast.comprehension) and node in parent.ifs):
        return
    text = source.text(node)
    wrapped = f"({text})" if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Lambda)) else text
    yield f"not {wrapped}" if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else f"not ({text})"
    for other in others(scope.conditions, text)[:6]:
        yield f"{wrapped} and ({other})"
        yield f"{wrapped} or ({other})"
        yield f"{wrapped} and not ({other})"
    for name in scope.names[:6]:
        if name != text:
            yield f"{wrapped} and {name}"
            yield f"{wrapped} or not {name}"
            yield f"{wrapped} and {name} is not None"
    yield "True"
    yield "False"
