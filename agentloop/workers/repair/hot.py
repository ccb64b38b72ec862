"""Which candidates can be tried by changing a function of a process that has imported the file already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.shape import future_flags
from agentloop.workers.repair.source import Edit, Function, Source

Part = tuple[int, int, int, str, int]
"""First byte, last byte, first line, class that holds it, compiler flags: what the kit needs to compile a function."""


def part(source: Source, edits: tuple[Edit, ...], trace: Trace) -> Part | None:
    """The outermost function around all `edits`, decorators included.

    None where there is none, and where it ran before the tests did: what it made then would be stale.
    """
    first, last = min(edit.start for edit in edits), max(edit.end for edit in edits)
    for node, owner, start in outermost(source):
        end = source.span(node)[1]
        if start <= first and last <= end:
            body = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
            ran = not trace.imported.get(source.path, frozenset()).isdisjoint(body)
            line = source.data.count(b"\n", 0, start) + 1
            return None if ran else (start, end, line, owner, future_flags(source))
    return None


def outermost(source: Source) -> list[tuple[Function, str, int]]:
    """Functions that no function holds, with the class around them and the byte where their decorators begin."""
    found: list[tuple[Function, str, int]] | None = source.known.get("outermost")
    if found is None:
        found = source.known["outermost"] = list(_below(source, source.tree.body, ""))
    return found


def _below(source: Source, body: list[ast.stmt], owner: str) -> Iterator[tuple[Function, str, int]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _below(source, node.body, node.name)
        elif isinstance(node, Function):
            above = [source.data.rfind(b"@", 0, source.span(mark)[0]) for mark in node.decorator_list]
            yield node, owner, min([source.span(node)[0], *above])
