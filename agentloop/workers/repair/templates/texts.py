"""What is done with texts: regular expressions, upper and lower case, encodings and formats."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.4

_MATCHERS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_FLAGS = ("re.IGNORECASE", "re.MULTILINE", "re.DOTALL")
_ENCODED = ("open", "encode", "decode", "read_text", "write_text", "bytes", "str")


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """A pattern, both sides of a comparison in one case, ``encoding=`` and ``errors=``, another format."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _constant(node, source)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _folded(node, source, scope)
    elif isinstance(node, ast.Call):
        yield from _options(node, source)


def _constant(node: ast.Constant, source: Source) -> Iterator[str]:
    """Other patterns for a regular expression, other formats for a format."""
    parent = source.parents.get(node)
    called = parent.func if isinstance(parent, ast.Call) and node in parent.args[:1] else None
    text = source.text(node)
    if text[:1] in "bB" or "\n" in text:
        return
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    owner = called.value if isinstance(called, ast.Attribute) else None
    if (name in _MATCHERS and isinstance(owner, ast.Name) and "re" in owner.id) or text[:1] in "rR":
        quote = text.lstrip("rRuU")
        mark = quote[:3] if quote[:3] in ('"""', "'''") else quote[:1]
        for pattern in dict.fromkeys(_patterns(text[text.index(mark) + len(mark) : -len(mark)])):
            yield f"r{mark}{pattern}{mark}"
    for old, new in (("%d", "%s"), ("%s", "%r"), ("%r", "%s"), ("%i", "%d"), ("{}", "{!r}"), ("{!r}", "{}")):
        if old in text:
            yield text.replace(old, new)


def _patterns(pattern: str) -> Iterator[str]:
    """Anchored or not, greedy or not, a dot that means itself, one or more for any number and back."""
    yield pattern[1:] if pattern.startswith("^") else f"^{pattern}"
    yield pattern[:-1] if pattern.endswith("$") else f"{pattern}$"
    yield f"{pattern[:-1]}\\Z" if pattern.endswith("$") else f"^{pattern}$"
    yield f"\\b{pattern}\\b"
    for found in re.finditer(r"(?<!\\)[*+](?!\?)", pattern):
        at = found.start()
        other = "+" if found[0] == "*" else "*"
        yield f"{pattern[: at + 1]}?{pattern[at + 1 :]}"
        yield f"{pattern[:at]}{other}{pattern[at + 1 :]}"
        yield f"{pattern[:at]}?{pattern[at + 1 :]}"
    for found in re.finditer(r"[*+]\?", pattern):
        yield pattern[: found.start() + 1] + pattern[found.end() :]
    for found in re.finditer(r"(?<!\\)\.(?![*+?{])", pattern):
        yield f"{pattern[: found.start()]}\\{pattern[found.start() :]}"
    for found in re.finditer(r"\\([dDwWsS])", pattern):
        yield pattern[: found.start(1)] + found[1].swapcase() + pattern[found.end() :]
    for found in re.finditer(r"\[(\^?)[^\]]+(?=\])|\\[dws](?![*+?{])", pattern):
        extra = ("-", "_", ".", "0-9", "a-z", "A-Z") if found[0].startswith("[") else ("+", "*", "?")
        for one in extra:
            yield pattern[: found.end()] + one + pattern[found.end() :]


def _folded(node: ast.Compare, source: Source, scope: Scope) -> Iterator[tuple[str, float]]:
    """Both sides in lower case; one of them where the other is a text already."""
    left, right = node.left, node.comparators[0]
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
        return
    plain = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
    one = (*source.span(left), f"{source.text(left)}.lower()") if isinstance(left, plain) else None
    two = (*source.span(right), f"{source.text(right)}.lower()") if isinstance(right, plain) else None
    kinds = {scope.kind(side.id) for side in (left, right) if isinstance(side, ast.Name)} - {""}
    weight = 1.0 if "text" in kinds else 0.2 if kinds else 0.6
    for parts in ((one, two), (one,), (two,)):
        if all(parts):
            yield source.changed(node, *(part for part in parts if part)), weight


def _options(node: ast.Call, source: Source) -> Iterator[tuple[str, float]]:
    """Flags of a regular expression, an encoding, a key or a direction of sorting, a start of counting."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = {keyword.arg for keyword in node.keywords}
    more: list[str] = []
    if name in _MATCHERS and isinstance(node.func, ast.Attribute) and source.text(node.func.value) == "re":
        more = [f"flags={flag}" for flag in _FLAGS] if "flags" not in given else []
    elif name in _ENCODED:
        more = ['encoding="utf-8"', 'errors="replace"', 'errors="ignore"', 'newline=""', 'encoding="utf-8-sig"']
    elif name in ("sorted", "sort", "min", "max"):
        more = ["reverse=True", "key=str.lower", "key=len", "key=str", "default=None", "default=0"]
    elif name in ("enumerate", "sum"):
        more = ["start=1"]
    elif name in ("split", "rsplit"):
        more = ["maxsplit=1"]
    close = source.span(node)[1] - 1
    comma = ", " if (node.args or node.keywords) and not source.data[:close].rstrip().endswith(b",") else ""
    for one in more:
        if one.partition("=")[0] not in given:
            yield source.changed(node, (close, close, comma + one)), 0.9
