"""Putting functions into a Python file by name, so that a model need not repeat the whole file."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Unfit(ValueError):
    """The part can't be put into the file; the words say why."""


def definitions(source: str) -> dict[str, Definition]:
    """Functions and classes of a file by dotted name, methods included. Raises SyntaxError."""
    found: dict[str, Definition] = {}
    for node in ast.parse(source).body:
        if isinstance(node, Definition):
            found[node.name] = node
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{part.name}": part for part in node.body if isinstance(part, Definition)}
    return found


def parts(text: str) -> dict[str, str] | None:
    """The definitions that `text` consists of, by name; None where it is something else, or more than that."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return None
    lines = textwrap.dedent(text).splitlines(keepends=True)
    if not tree.body or not all(isinstance(node, Definition) for node in tree.body):
        return None
    made = [node for node in tree.body if isinstance(node, Definition)]
    return {node.name: "".join(lines[first(node) - 1 : node.end_lineno]) for node in made}


def splice(source: str, pieces: Mapping[str, str]) -> str:
    """`source` with each of `pieces` in the place of the definition of its name.

    A bare method is found where only one class has it; a class that lacks methods of the present one gives only
    those it has. Raises Unfit, and SyntaxError for a source that is none.
    """
    for name, text in pieces.items():
        source = _one(source, name, text)
    return source


def _one(source: str, name: str, text: str) -> str:
    known = definitions(source)
    places = [name] if name in known else [dotted for dotted in known if dotted.endswith(f".{name}")]
    if len(places) != 1:
        raise Unfit(f"{name!r} is defined {len(places)} times, so it can't be put in by name; send the whole file")
    node = known[places[0]]
    if isinstance(node, ast.ClassDef):
        inner = ast.parse(text).body[0]
        given = {part.name for part in getattr(inner, "body", []) if isinstance(part, Definition)}
        had = {part.name for part in node.body if isinstance(part, Definition)}
        if given and not had <= given:
            methods = _methods(text)
            if strange := sorted(set(methods) - had):
                raise Unfit(f"the class {name} in your block lacks methods and has new ones ({', '.join(strange)})")
            return splice(source, {f"{places[0]}.{method}": body for method, body in methods.items()})
    return _replaced(source, node, text)


def _methods(text: str) -> dict[str, str]:
    lines = text.splitlines(keepends=True)
    (node,) = ast.parse(text).body
    body = [part for part in getattr(node, "body", []) if isinstance(part, Definition)]
    return {part.name: textwrap.dedent("".join(lines[first(part) - 1 : part.end_lineno])) for part in body}


def _replaced(source: str, node: Definition, text: str) -> str:
    """The lines of `node` taken out and `text` put in, indented as they were; decorators stay unless it has its own."""
    lines = source.splitlines(keepends=True)
    new = ast.parse(text).body[0]
    start = node.lineno if not getattr(new, "decorator_list", []) else first(node)
    if not source.endswith("\n") and node.end_lineno == len(lines):
        text = text.rstrip("\n")
    elif not text.endswith("\n"):
        text += "\n"
    indented = textwrap.indent(text, " " * node.col_offset, lambda line: bool(line.strip()))
    return "".join(lines[: start - 1]) + indented + "".join(lines[node.end_lineno :])


def first(node: Definition) -> int:
    """The line on which a definition begins, decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
