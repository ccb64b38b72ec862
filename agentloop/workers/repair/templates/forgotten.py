"""A call that is missing: of the method above, of a sibling method, or of what a loop did for its last group."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Function, Source

PRIOR = 0.4


def edits(node: ast.stmt, source: Source, scope: Scope) -> Iterator[Edit]:
    """Statements of that sort at the beginning of a function, after a loop, and at the end of a block."""
    if isinstance(node, (ast.For, ast.While)):
        yield from _flushed(node, source)
    function = source.function(node)
    if function is None or isinstance(node, (*Function.__args__, ast.ClassDef)):
        return
    above = source.parents.get(function)
    start, end = source.span(node)
    if isinstance(above, ast.ClassDef) and node in (function.body[0], function.body[-1]):
        for call in _inherited(function, above):
            yield from _beside(node, source, call, node is function.body[0])
        called = [item for item in above.body if isinstance(item, Function) and item is not function]
        for method in called[:8]:
            if len(method.args.args) == 1 and not method.name.startswith("__") and not method.decorator_list:
                yield from _beside(node, source, f"self.{method.name}()", node is function.body[0])
    if source.loop(node) is not None and not isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        for word in ("break", "continue"):
            text = f"{source.newline.decode()}{source.indent(node)}{word}".encode()
            yield Edit(source.path, end, end, text, "forgotten", node.lineno, 0.8)
    if isinstance(node, (ast.Break, ast.Continue)):
        other = b"continue" if isinstance(node, ast.Break) else b"break"
        yield Edit(source.path, start, end, other, "forgotten", node.lineno)


def _inherited(function: Function, above: ast.ClassDef) -> Iterator[str]:
    """The call of what the method overrides, where the class has a base and the method does not call it."""
    called = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == "super"]
    if called or not above.bases:
        return
    given = [arg.arg for arg in function.args.args[1:]]
    rest = [f"*{function.args.vararg.arg}"] if function.args.vararg else []
    rest += [f"**{function.args.kwarg.arg}"] if function.args.kwarg else []
    for arguments in dict.fromkeys([", ".join([*given, *rest]), "", ", ".join(given[:1])]):
        yield f"super().{function.name}({arguments})"


def _beside(node: ast.stmt, source: Source, text: str, first: bool) -> Iterator[Edit]:
    start, end = source.span(node)
    indent, line_end = source.indent(node), source.newline.decode()
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if first and not docstring:
        yield Edit(source.path, start, start, f"{text}{line_end}{indent}".encode(), "forgotten", node.lineno)
    if not isinstance(node, (ast.Return, ast.Raise)):
        yield Edit(source.path, end, end, f"{line_end}{indent}{text}".encode(), "forgotten", node.lineno)


def _flushed(node: ast.For | ast.While, source: Source) -> Iterator[Edit]:
    """After a loop, what it appended or yielded within: as it is, or where there is something."""
    indent, line_end = source.indent(node), source.newline.decode()
    end = source.span(node)[1]
    step = "\t" if "\t" in indent else "    "
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Expr) or not isinstance(inner.value, (ast.Call, ast.Yield)):
            continue
        text = source.text(inner)
        if "\n" in text or len(text) > 100:
            continue
        value = inner.value.value if isinstance(inner.value, ast.Yield) else next(iter(inner.value.args), None)
        names = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)] if value else []
        made = [text, *(f"if {name}:{line_end}{indent}{step}{text}" for name in dict.fromkeys(names))]
        for one in made[:4]:
            yield Edit(source.path, end, end, f"{line_end}{indent}{one}".encode(), "forgotten", node.lineno, 1.2)
