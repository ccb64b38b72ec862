"""Small slips of their own: a mutable default, a missing return, the wrong exception, a missing `await`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Function, Source

PRIOR = 0.5

_ERRORS = ("KeyError", "ValueError", "TypeError", "IndexError", "AttributeError", "LookupError", "Exception")


def edits(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """Edits of a function's head, of its end, and of exception handlers."""
    if isinstance(node, Function):
        yield from _defaults(node, source)
        yield from _missing_return(node, source, scope)
    elif isinstance(node, ast.Try):
        for handler in node.handlers:
            if isinstance(handler.type, ast.Name):
                start, end = source.span(handler.type)
                for name in _ERRORS:
                    if name != handler.type.id:
                        yield Edit(source.path, start, end, name.encode(), "exception type", handler.lineno)


def _defaults(node: Function, source: Source) -> Iterator[Edit]:
    """``None`` for a list, dict or set as default, made anew in the body."""
    given = node.args.posonlyargs + node.args.args
    pairs = zip(given[len(given) - len(node.args.defaults) :], node.args.defaults, strict=True)
    for argument, default in pairs:
        if not isinstance(default, (ast.List, ast.Dict, ast.Set, ast.Call)):
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
            first = node.body[1]
        start, end = source.span(default)
        place = source.span(first)[0]
        indent, line_end = source.indent(first), source.newline.decode()
        step = "\t" if "\t" in indent else "    "
        made = f"if {argument.arg} is None:{line_end}{indent}{step}{argument.arg} = {source.text(default)}"
        text = b"None" + source.data[end:place] + f"{made}{line_end}{indent}".encode()
        yield Edit(source.path, start, place, text, "mutable default", node.lineno)


def _missing_return(node: Function, source: Source, scope: Scope) -> Iterator[Edit]:
    last = node.body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return
    end = source.span(last)[1]
    indent, line_end = source.indent(last), source.newline.decode()
    inner = Scope(source, last)
    for name in [*inner.names[:4], "True", "False", "0", "[]"]:
        yield Edit(source.path, end, end, f"{line_end}{indent}return {name}".encode(), "missing return", last.lineno)
