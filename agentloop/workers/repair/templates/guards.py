"""A guard before a statement: early return, an error, or `continue` in a loop, for None, empty or zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Function, Source

PRIOR = 0.35


def statements(node: ast.stmt, source: Source, scope: Scope) -> Iterator[str]:
    """The statement with a guard above it."""
    function = source.function(node)
    if function is None or isinstance(node, (*Function.__args__, ast.ClassDef)):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring must stay first
    outs = list(dict.fromkeys([*scope.returns[:3], "None", "0", "[]", "False", "True", '""']))[:7]
    for name in scope.names[:5]:
        for question in (f"not {name}", f"{name} is None", f"{name} <= 0"):
            for out in outs:
                yield _guarded(node, source, f"if {question}:", f"return {out}")
            for error in [*scope.raises[:2], "ValueError"]:
                yield _guarded(node, source, f"if {question}:", f"raise {error}")
            if source.loop(node) is not None:
                yield _guarded(node, source, f"if {question}:", "continue")
    for condition in scope.conditions[:3]:
        for out in outs[:3]:
            yield _guarded(node, source, f"if {condition}:", f"return {out}")
        for error in scope.raises[:2]:
            yield _guarded(node, source, f"if {condition}:", f"raise {error}")


def _guarded(node: ast.stmt, source: Source, question: str, answer: str) -> str:
    indent, end = source.indent(node), source.newline.decode()
    step = "\t" if "\t" in indent else "    "
    return f"{question}{end}{indent}{step}{answer}{end}{indent}{source.text(node)}"
