"""Another expression to return, to yield or to assign."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.5


def statements(node: ast.stmt, source: Source, scope: Scope) -> Iterator[str]:
    """The statement with another value; a last expression returned; a value yielded from another."""
    if isinstance(node, ast.Return):
        text = source.text(node.value) if node.value else ""
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
            # A verdict that does not look at what was found out.
            for name in scope.names[:5]:
                yield from (f"return {name} == 0", f"return not {name}", f"return bool({name})")
        for other in [*others(scope.names, text), *others(scope.returns, text), "None", "[]", "0", "True", "False"]:
            yield f"return {other}"
        if node.value and not isinstance(node.value, ast.UnaryOp):
            yield f"return not {text}" if isinstance(node.value, (ast.Name, ast.Call)) else f"return not ({text})"
            yield f"return -{text}" if isinstance(node.value, (ast.Name, ast.Call)) else f"return -({text})"
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        if isinstance(node.value, ast.Yield) and node.value.value:
            yield f"yield from {source.text(node.value.value)}"
        elif isinstance(node.value, ast.Call):
            yield f"return {source.text(node.value)}"
            yield f"yield from {source.text(node.value)}"
            yield f"await {source.text(node.value)}"
