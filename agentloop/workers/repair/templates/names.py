"""A wrong name: another variable, attribute, method, function or constant that stands nearby."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.7

_METHODS = (
    ("append", "extend"), ("lower", "upper", "casefold"), ("strip", "lstrip", "rstrip"), ("split", "rsplit"),
    ("startswith", "endswith"), ("find", "rfind", "index"), ("keys", "values", "items"), ("add", "update"),
    ("remove", "discard", "pop"), ("popleft", "pop"), ("append", "appendleft"), ("floor", "ceil"), ("min", "max"),
    ("any", "all"), ("match", "search", "fullmatch"), ("union", "intersection", "difference"), ("sorted", "reversed"),
)  # fmt: skip
"""Names that are taken for each other."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """The same expression with another name in it."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _siblings(node.id)
        parent = source.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            yield from others(scope.functions, node.id)
            return
        yield from ((name, scope.alike(name, node.id)) for name in others(scope.names, node.id))
        if node.id in scope.globals:
            yield from others(scope.globals, node.id)
        if node.id in scope.names:
            yield from scope.numbers[:4]
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        owner = source.text(node.value)
        for name in _siblings(node.attr):
            yield f"{owner}.{name}"
        known = others(scope.attributes(owner), node.attr)
        yield from (f"{owner}.{name}" for name in known)
        for name in others(scope.attributes(""), node.attr):
            if name not in known:
                yield f"{owner}.{name}", 0.8
        if isinstance(node.value, ast.Name):
            for name in others(scope.names, node.value.id)[:4]:
                yield f"{name}.{node.attr}"
    elif isinstance(node, ast.Constant):
        yield from _constants(node, source, scope)


def _constants(node: ast.Constant, source: Source, scope: Scope) -> Iterator[str]:
    text = source.text(node)
    if isinstance(node.value, bool):
        yield "False" if node.value else "True"
    elif isinstance(node.value, (int, float)):
        yield from others(scope.numbers, text)
        yield from scope.names[:6]
        if node.value:
            yield f"{text} * 10" if isinstance(node.value, int) else f"{text} / 10"
    elif isinstance(node.value, str) and not isinstance(source.parents.get(node), (ast.Expr, ast.JoinedStr)):
        yield from others(scope.texts, text)
        if node.value == "":
            yield '" "'


def _siblings(name: str) -> Iterator[str]:
    for family in _METHODS:
        if name in family:
            yield from others(family, name)
