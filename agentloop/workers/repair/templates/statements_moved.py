"""Statements deleted, swapped with the next one, or moved into or out of the block above."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Function, Source

PRIOR = 0.45


def edits(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """Whole statements in other places; each edit covers the bytes between the two places."""
    parent = source.parents.get(node)
    if source.function(node) is None or isinstance(node, (*Function.__args__, ast.ClassDef)):
        return
    body = next((held for held in _bodies(parent) if node in held), None)
    if body is None:
        return
    place = body.index(node)
    start, end = source.span(node)
    yield Edit(source.path, start, end, b"pass", "delete statement", node.lineno)
    if place + 1 < len(body):
        follower = body[place + 1]
        second, last = source.span(follower)
        between = source.data[end:second]
        text = source.data[second:last] + between + source.data[start:end]
        yield Edit(source.path, start, last, text, "swap statements", node.lineno)
    elif parent is not None and isinstance(parent, ast.stmt) and not isinstance(parent, Function.__args__) and place:
        outer = source.indent(parent).encode()
        lead = source.data[: source.starts[node.lineno - 1]]
        yield Edit(
            source.path, len(lead), end, outer + _shifted(source, node, parent), "move out of block", node.lineno
        )


def _shifted(source: Source, node: ast.stmt, parent: ast.stmt) -> bytes:
    """The statement's text, indented as its parent is."""
    deep, flat = source.indent(node).encode(), source.indent(parent).encode()
    start, end = source.span(node)
    return source.data[start:end].replace(b"\n" + deep, b"\n" + flat)


def _bodies(parent: ast.AST | None) -> list[list[ast.stmt]]:
    names = ("body", "orelse", "finalbody")
    return [held for name in names if isinstance(held := getattr(parent, name, None), list)]
