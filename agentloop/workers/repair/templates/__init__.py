"""Program changes that often mend a fault. One family a file, one line a family; the prior says how often."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import ModuleType

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Edit, Source
from agentloop.workers.repair.templates import (
    arguments,
    borrowed,
    bounds,
    calls,
    compare,
    conditions,
    copied,
    defaults,
    forgotten,
    guards,
    names,
    nudge,
    operands,
    operators,
    raised,
    returns,
    slices,
    statements_moved,
    terms,
    texts,
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
    "slice": slices,
    "term": terms,
    "borrowed": borrowed,
    "missing statement": copied,
    "bound": bounds,
    "text": texts,
    "forgotten": forgotten,
    "exception": raised,
}
"""Family → its module, which has a PRIOR and any of `expressions`, `statements` and `edits`."""

PRIORS = {name: module.PRIOR for name, module in TEMPLATES.items()}

LATER = 0.98
"""Each family tells the likeliest first: every further one counts so much less, down to LEAST."""

LEAST = 0.6

_EDGE = re.compile(r"\w\w|[<>=!*/|&^+-]{2}")
"""Two characters between which a text must not be cut: inside of a word or an operator."""


def edits_at(source: Source, lines: set[int]) -> Iterator[Edit]:
    """Every single edit that begins on one of `lines`, family by family."""
    expressions, statements = list(source.expressions(lines)), list(source.statements(lines))
    for name, module in TEMPLATES.items():
        for make, nodes in (("expressions", expressions), ("statements", statements)):
            if function := getattr(module, make, None):
                for node in nodes:
                    yield from _replacements(name, function(node, source, Scope(source, node)), node, source)
        if function := getattr(module, "edits", None):
            for node in statements:
                yield from function(node, source, Scope(source, node))


def _replacements(
    name: str, texts: Iterator[str | tuple[str, float]], node: ast.expr | ast.stmt, source: Source
) -> Iterator[Edit]:
    """A node replaced by each of `texts` (or text and weight), in brackets where that keeps its neighbours as they
    were; the edit covers no more than what differs."""
    start, end = source.span(node)
    old = source.text(node)
    for number, made in enumerate(texts):
        text, weight = (made, 1.0) if isinstance(made, str) else made
        changed = f"({text})" if isinstance(node, ast.expr) and _needs_brackets(node, text, source) else text
        before, after = _same(old, changed)
        first, last = start + len(old[:before].encode()), end - len(old[len(old) - after :].encode())
        new = changed[before : len(changed) - after].encode("utf-8")
        yield Edit(source.path, first, last, new, name, node.lineno, weight * max(LEAST, LATER**number))


def _same(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginning and at their end; whole words and operators only."""
    most = min(len(old), len(new))
    before = next((i for i in range(most) if old[i] != new[i]), most)
    while before and any(_EDGE.fullmatch(text[before - 1 : before + 1]) for text in (old, new)):
        before -= 1
    most -= before
    after = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    while after and any(_EDGE.fullmatch(text[len(text) - after - 1 : len(text) - after + 1]) for text in (old, new)):
        after -= 1
    return before, after


def _tightness(node: ast.BinOp) -> int:
    """How tightly an operator binds: only what binds tighter than its neighbour needs no brackets."""
    order = ((ast.BitOr,), (ast.BitXor,), (ast.BitAnd,), (ast.LShift, ast.RShift), (ast.Add, ast.Sub), (ast.Pow,))
    found = [place for place, sorts in enumerate(order) if isinstance(node.op, sorts)]
    return found[0] * 2 if found else 9  # what multiplies stands between the last two


def _needs_brackets(node: ast.expr, text: str, source: Source) -> bool:
    """Whether `text` could be torn apart by the operator or the dot that follows the node."""
    parent = source.parents.get(node)
    tight = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript, ast.Call, ast.Await)
    if not isinstance(parent, tight) or isinstance(node, ast.Slice):
        return False
    if isinstance(parent, ast.Call) and node is not parent.func:
        return False
    if isinstance(parent, ast.Subscript) and node is parent.slice:
        return False
    try:
        value = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    if isinstance(value, ast.UnaryOp) and isinstance(parent, ast.BoolOp):
        return False
    if isinstance(value, ast.BinOp) and isinstance(parent, ast.BinOp):
        return _tightness(value) <= _tightness(parent)
    return isinstance(value, (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Lambda))
