"""Program changes that often mend a fault. One family a file, one line a family; the prior says how often."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Source
from agentloop.workers.repair.templates import (
    arguments,
    calls,
    compare,
    conditions,
    defaults,
    guards,
    names,
    nudge,
    operands,
    operators,
    returns,
    statements_moved,
)

TEMPLATES: dict[str, ModuleType] = {
    "comparison": compare,
    "off by one": nudge,
    "operator": operators,
    "operands": operands,
    "arguments": arguments,
    "name": names,
    "condition": conditions,
    "guard": guards,
    "value": returns,
    "call": calls,
    "statement": statements_moved,
    "slip": defaults,
}
"""Family → its module, which has a PRIOR and any of `expressions`, `statements` and `edits`."""

PRIORS = {name: module.PRIOR for name, module in TEMPLATES.items()}


def edits_at(source: Source, lines: set[int]) -> Iterator[Edit]:
    """Every single edit that begins on one of `lines`, family by family."""
    scopes: dict[ast.AST, Scope] = {}

    def scope_of(node: ast.AST) -> Scope:
        return scopes.setdefault(node, Scope(source, node))

    expressions, statements = list(source.expressions(lines)), list(source.statements(lines))
    for name, module in TEMPLATES.items():
        for make, nodes in (("expressions", expressions), ("statements", statements)):
            if function := getattr(module, make, None):
                for node in nodes:
                    yield from _replacements(name, function(node, source, scope_of(node)), node, source)
        if function := getattr(module, "edits", None):
            for node in statements:
                yield from function(node, source, scope_of(node))


def _replacements(name: str, texts: Iterator[str], node: ast.expr | ast.stmt, source: Source) -> Iterator[Edit]:
    """A node replaced by each of `texts`, in brackets where that keeps its neighbours as they were."""
    start, end = source.span(node)
    for text in texts:
        changed = f"({text})" if isinstance(node, ast.expr) and _needs_brackets(node, text, source) else text
        yield Edit(source.path, start, end, changed.encode("utf-8"), name, node.lineno)


def _needs_brackets(node: ast.expr, text: str, source: Source) -> bool:
    """Whether `text` could be torn apart by the operator or the dot that follows the node."""
    parent = source.parents.get(node)
    if not isinstance(
        parent, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript, ast.Call)
    ):
        return False
    if isinstance(parent, ast.Call) and node is not parent.func:
        return False
    if isinstance(parent, ast.Subscript) and node is parent.slice:
        return False
    try:
        value = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    return isinstance(value, (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Lambda))
