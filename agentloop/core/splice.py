"""Putting functions into a Python file by name, so that a model need not repeat the whole file."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Unfit(ValueError):
    """The part can't be put into the file; the words say why."""


def parsed(text: str) -> ast.Module:
    """The syntax tree. Raises SyntaxError for whatever Python can't parse, however it fails at it."""
    try:
        return ast.parse(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"{type(error).__name__}: {error}") from error


def definitions(source: str) -> dict[str, list[Definition]]:
    """Functions and classes of a file by dotted name, methods included; all that have one name. Raises SyntaxError."""
    found: dict[str, list[Definition]] = {}
    for node in _defined(parsed(source).body):
        found.setdefault(node.name, []).append(node)
        if isinstance(node, ast.ClassDef):
            for part in _defined(node.body):
                found.setdefault(f"{node.name}.{part.name}", []).append(part)
    return found


def parts(text: str) -> dict[str, str] | None:
    """The definitions that `text` consists of, by name; None where it is something else, or more than that, or has a
    name twice."""
    text = textwrap.dedent(text)
    try:
        body = parsed(text).body
    except SyntaxError:
        return None
    made = _defined(body)
    names = {node.name for node in made}
    if not body or len(made) != len(body) or len(names) != len(made):
        return None
    return {node.name: _source(text, node) for node in made}


def splice(source: str, pieces: Mapping[str, str]) -> str:
    """`source` with each of `pieces` in the place of the definition of its name.

    A bare method is found where only one class has it; a class that lacks methods of the present one gives only
    those it has. Raises Unfit where that would lose or bend anything, and SyntaxError for a source that is none.
    """
    for name, text in pieces.items():
        source = _one(source, name, text)
    return source


def _one(source: str, name: str, text: str) -> str:
    known = definitions(source)
    places = [name] if name in known else [dotted for dotted in known if dotted.endswith(f".{name}")]
    if len(places) != 1 or len(known[places[0]]) != 1:
        times = sum(len(known[place]) for place in places)
        raise Unfit(f"{name!r} is defined {times} times, so it can't be put in by name; send the whole file")
    node = known[places[0]][0]
    new = _defined(parsed(text).body)[0]
    if isinstance(node, ast.ClassDef) and isinstance(new, ast.ClassDef):
        had = {part.name for part in _defined(node.body)}
        if not had <= {part.name for part in _defined(new.body)}:
            return splice(
                source, {f"{places[0]}.{part}": body for part, body in _methods(node, new, text, had).items()}
            )
    return _replaced(source, node, text)


def _methods(old: ast.ClassDef, new: ast.ClassDef, text: str, had: set[str]) -> dict[str, str]:
    """The methods of a part of a class. Raises Unfit where it is more than methods that are there."""
    made = _defined(new.body)
    others = [part for part in new.body if part not in made and not _is_words(part)]
    twice = [name for name, times in Counter(part.name for part in made).items() if times > 1]
    strange = sorted({part.name for part in made} - had)
    if not made or others or twice or strange or _head(old) != _head(new):
        raise Unfit(f"the class {new.name} in your block lacks methods and changes more; send the class whole")
    return {part.name: textwrap.dedent(_source(text, part)) for part in made}


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in (*node.bases, *node.keywords, *node.decorator_list)]


def _is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replaced(source: str, node: Definition, text: str) -> str:
    """The lines of `node` taken out and `text` put in, indented as they were; decorators stay unless it has its own."""
    lines = _lines(source)
    new = _defined(parsed(text).body)[0]
    start = first(node) if new.decorator_list else node.lineno
    last = not source.endswith("\n") and node.end_lineno == len(lines)
    text = text.rstrip("\n") if last else text.rstrip("\n") + "\n"
    indented = textwrap.indent(text, " " * node.col_offset, lambda line: bool(line.strip()))
    if node.col_offset and _meaning(_defined(_inner(indented))[0]) != _meaning(new):
        raise Unfit(f"{new.name!r} holds text over several lines that would change with its indentation")
    if "\r\n" in lines[node.lineno - 1]:
        indented = indented.replace("\n", "\r\n")
    return "".join(lines[: start - 1]) + indented + "".join(lines[node.end_lineno :])


def _inner(indented: str) -> Sequence[ast.stmt]:
    """The statements of an indented text."""
    (outer,) = parsed(f"if True:\n{indented}").body
    assert isinstance(outer, ast.If)
    return outer.body


def _meaning(node: Definition) -> str:
    """What a definition means, the indentation of docstrings aside."""
    for inner in ast.walk(node):
        if isinstance(inner, Definition) and _is_words(inner.body[0]):
            inner.body = inner.body[1:] or [ast.Pass()]
    return ast.dump(node)


def _defined(body: Sequence[ast.stmt]) -> list[Definition]:
    return [node for node in body if isinstance(node, Definition)]


def _source(text: str, node: Definition) -> str:
    return "".join(_lines(text)[first(node) - 1 : node.end_lineno])


def _lines(text: str) -> list[str]:
    """Lines as Python's parser counts them: a form feed or a separator of paragraphs begins no new one."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def first(node: Definition) -> int:
    """The line on which a definition begins, decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
