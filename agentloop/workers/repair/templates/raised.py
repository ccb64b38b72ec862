"""Another exception: what is raised, what is caught, and a `raise` where two values do not fit."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope, others
from agentloop.workers.repair.source import Edit, Function, Source

PRIOR = 0.5

_USUAL = (
    "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError", "LookupError",
    "NotImplementedError", "StopIteration", "OverflowError", "ZeroDivisionError", "OSError", "UnicodeError",
)  # fmt: skip


def edits(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """The class of a raised exception, wider handlers, and guards that raise."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(named, (ast.Name, ast.Attribute)):
            start, end = source.span(named)
            for name in others([*_own(source), *_USUAL], source.text(named)):
                yield Edit(source.path, start, end, name.encode(), "exception", node.lineno)
    elif isinstance(node, ast.Try):
        for handler in node.handlers:
            if handler.type is not None:
                start, end = source.span(handler.type)
                caught = [source.text(one) for one in getattr(handler.type, "elts", [handler.type])]
                for name in [name for name in [*_own(source), *_USUAL] if name not in caught]:
                    text = f"({', '.join([*caught, name])})".encode()
                    yield Edit(source.path, start, end, text, "exception", handler.lineno)
    elif source.function(node) is not None and not isinstance(node, (*Function.__args__, ast.ClassDef)):
        yield from _guards(node, source, scope)


def _own(source: Source) -> list[str]:
    """Exceptions that the file defines, imports or raises, by what they are called."""
    if "exceptions" not in source.known:
        classes = [node for node in source.tree.body if isinstance(node, ast.ClassDef)]
        ends = ("Error", "Exception", "Exit", "Warning", "Invalid")
        defined = [one.name for one in classes if any(source.text(base).endswith(ends) for base in one.bases)]
        taken = [a.asname or a.name for n in source.tree.body if isinstance(n, ast.ImportFrom) for a in n.names]
        raised = [node.exc for node in ast.walk(source.tree) if isinstance(node, ast.Raise) and node.exc]
        heads = [one.func if isinstance(one, ast.Call) else one for one in raised]
        seen = [head.id for head in heads if isinstance(head, ast.Name) and not hasattr(builtins, head.id)]
        found = [*defined, *(name for name in taken if name.endswith(ends))]
        source.known["exceptions"] = list(dict.fromkeys([*found, *seen]))[:8]
    own: list[str] = source.known["exceptions"]
    return own


def _guards(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """A `raise` before a statement, where one value is too small, too large, missing, or of another type."""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    parent = source.parents.get(node)
    if docstring or not isinstance(parent, Function) or node not in parent.body[:3]:
        return
    start = source.span(node)[0]
    indent, line_end = source.indent(node), source.newline.decode()
    step = "\t" if "\t" in indent else "    "
    names = scope.names[:4]
    pairs = [(one, two) for one in names for two in names if one != two]
    questions = [f"{one} {sign} {two}" for one, two in pairs for sign in (">", "in", "not in")]
    questions += [f"{name} < 0" for name in names]
    questions += [f"not isinstance({name}, {kind})" for name in names for kind in ("str", "int")]
    errors = dict.fromkeys([*scope.raises[:2], *(f"{name}()" for name in _own(source)[:2]), "ValueError", "TypeError"])
    for question in questions:
        for error in list(errors)[:4]:
            text = f"if {question}:{line_end}{indent}{step}raise {error}{line_end}{indent}".encode()
            yield Edit(source.path, start, start, text, "exception", node.lineno, 0.4)
