"""A value kept within a bound, or made anew: ``min(x, limit)``, ``max(x, low)``, a default for None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Source

PRIOR = 0.4


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """A number with a name, a length, 0 or 1 as its bound; ``a if a is not None else b`` for ``a or b``."""
    text = source.text(node)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
        left, right = (source.text(value) for value in node.values)
        yield f"{left} if {left} is not None else {right}"
    parent = source.parents.get(node)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
        yield from _filtered(node, source)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and node is parent.test:
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield f"{text} is not None"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield f"{source.text(node.operand)} is None"
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and _counts(node, parent):
        weight = 1.0 if isinstance(node, (ast.BinOp, ast.Call)) else 0.7
        fields = [f"self.{name}" for name in scope.attributes("self")][:4]
        for name in [*others([*scope.names[:6], *fields], text), "1"]:
            if scope.kind(name) in ("number", ""):
                for function in ("min", "max"):
                    yield f"{function}({text}, {name})", weight
            elif scope.kind(name) in ("list", "text"):
                yield f"min({text}, len({name}))", weight


def _filtered(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, source: Source) -> Iterator[str]:
    """The comprehension without what is empty, or None."""
    loop = node.generators[0]
    if isinstance(loop.target, ast.Name) and not loop.ifs:
        end = source.span(loop.iter)[1]
        for question in (loop.target.id, f"{loop.target.id} is not None"):
            yield source.changed(node, (end, end, f" if {question}"))


def _counts(node: ast.expr, parent: ast.AST | None) -> bool:
    if not isinstance(node, (ast.Name, ast.Attribute, ast.BinOp, ast.Call)):
        return False
    if isinstance(parent, ast.Call):
        named = isinstance(parent.func, ast.Name) and parent.func.id in ("min", "max")
        return node in parent.args and not named
    return isinstance(parent, (ast.Return, ast.Assign, ast.AugAssign, ast.Slice, ast.BinOp, ast.keyword, ast.Tuple))
