"""A statement that is missing: a copy of one of the function, with one name replaced, or a name taken over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Function, Source

PRIOR = 0.35

MOST = 40
"""Statements that are put in at one place."""


def edits(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """Such statements after `node`, and before it where it is the first or the last of its block."""
    function = source.function(node)
    if function is None or isinstance(node, (*Function.__args__, ast.ClassDef)):
        return
    body = next((held for held in _blocks(source.parents.get(node)) if node in held), [])
    indent, line_end = source.indent(node), source.newline.decode()
    if not body or indent.strip():
        return
    start, end = source.span(node)
    for text, weight in _missing(function, source, scope):
        if not isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            after = f"{line_end}{indent}{text}".encode()
            yield Edit(source.path, end, end, after, "missing statement", node.lineno, weight)
        if node in (body[0], body[-1]):
            before = f"{text}{line_end}{indent}".encode()
            yield Edit(source.path, start, start, before, "missing statement", node.lineno, weight)


def _missing(function: ast.AST, source: Source, scope: Scope) -> list[tuple[str, float]]:
    """What may be missing: the function's short statements, with names replaced, and plain assignments of names."""
    key = ("missing", function)
    if key not in source.known:
        source.known[key] = list(dict(_made(function, source, scope)).items())[:MOST]
    found: list[tuple[str, float]] = source.known[key]
    return found


def _made(function: ast.AST, source: Source, scope: Scope) -> Iterator[tuple[str, float]]:
    names = scope.names
    simple = [node for node in ast.walk(function) if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr))]
    stored = [name for name in names if any(_binds(node, name) for node in simple)]
    for node in simple:
        text = source.text(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(text) <= 80 and "\n" not in text:
            receiver = node.value.func.value if isinstance(node.value.func, ast.Attribute) else None
            owner = receiver.id if isinstance(receiver, ast.Name) else ""
            for argument in [arg for arg in node.value.args if isinstance(arg, (ast.Name, ast.Call))]:
                for name in names:
                    if name != owner:
                        yield _with(source, node, argument, name), scope.alike(name, source.text(argument))
            for name in names if owner else ():
                if scope.kind(name) == scope.kind(owner):
                    yield re.sub(rf"^{owner}\b", name, text), 0.9
    for name in stored:
        for other in names:
            if other != name:
                yield f"{name} = {other}", 0.7 * scope.alike(name, other)
    sets = [name for name in names if scope.kind(name) in ("set", "list")]
    for owner in sets:
        for name in names:
            if name != owner:
                yield f"{owner}.{'add' if scope.kind(owner) == 'set' else 'append'}({name})", 0.8
    for node in simple:
        text = source.text(node)
        if isinstance(node, ast.AugAssign) and len(text) <= 60:
            yield text, 0.6


def _with(source: Source, node: ast.stmt, argument: ast.expr, name: str) -> str:
    return source.changed(node, (*source.span(argument), name))


def _binds(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _blocks(parent: ast.AST | None) -> list[list[ast.stmt]]:
    names = ("body", "orelse", "finalbody")
    return [held for name in names if isinstance(held := getattr(parent, name, None), list)]
