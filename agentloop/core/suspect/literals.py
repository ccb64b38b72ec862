"""A rule about answers copied from the tests: literal arguments with the literal that a test expects for them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from agentloop.core.suspect.page import Page

Pair = tuple[str, str]
"""Arguments and answer, each as the text of a literal."""

ENOUGH = 2
"""Weight from which copied answers are a suspicion: one telling pair, or two plain ones."""

PLAIN = {"0", "1", "-1", "2", "''", "None", "True", "False", "()", "[]", "{}", "b''", "0.0", "1.0"}
"""Literals that honest special cases are made of."""

_LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp)


def pairs_of_tests(texts: Iterable[str]) -> frozenset[Pair]:
    """What the tests expect of which literal arguments: ``assert f(2, 3) == 5``, ``assertEqual(f(2, 3), 5)``."""
    found: set[Pair] = set()
    for text in texts:
        for node in Page("", text).nodes:
            match node:
                case ast.Compare(ops=[ast.Eq() | ast.Is()], comparators=[right]):
                    found.update(_expected(node.left, right))
                case ast.Call(func=ast.Attribute(attr="assertEqual" | "assertEquals" | "assertIs"), args=[a, b, *_]):
                    found.update(_expected(a, b))
                case ast.Tuple() | ast.List() if len(node.elts) > 1:
                    found.update(_row(node.elts))
    return frozenset(found)


def copied(page: Page, added: frozenset[int], pairs: frozenset[Pair]) -> Iterator[int]:
    """The first line of each function (or the module's top) on whose added lines copied answers weigh ENOUGH."""
    if not pairs:
        return
    weights: dict[ast.AST | None, tuple[int, int]] = {}
    for node in page.nodes:
        if getattr(node, "lineno", 0) not in added:
            continue
        for pair in _in_source(node):
            if pair in pairs:
                owner = next((part for part in page.around(node) if isinstance(part, ast.FunctionDef)), None)
                line, weight = weights.get(owner, (node.lineno, 0))  # type: ignore[attr-defined]
                weights[owner] = (min(line, node.lineno), weight + _weight(pair))  # type: ignore[attr-defined]
    yield from (line for line, weight in weights.values() if weight >= ENOUGH)


def _expected(left: ast.expr, right: ast.expr) -> Iterator[Pair]:
    for call, answer in ((left, right), (right, left)):
        if isinstance(call, ast.Call) and (text := literal(answer)):
            arguments = [*call.args, *(word.value for word in call.keywords)]
            words = [literal(argument) for argument in arguments]
            if words and all(words):
                yield ", ".join(words), text


def _row(items: list[ast.expr]) -> Iterator[Pair]:
    """A row of a parametrised test: the last value is what the others should give."""
    words = [literal(item) for item in items]
    if all(words):
        yield ", ".join(words[:-1]), words[-1]
        if isinstance(items[0], ast.Tuple) and len(items) == 2:
            yield ", ".join(literal(part) for part in items[0].elts), words[-1]


def _in_source(node: ast.AST) -> Iterator[Pair]:
    """Pairs that the code holds: entries of a dict, and branches that return a literal."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and (answer := literal(value)):
                    yield _arguments(key), answer
        case ast.If(test=test, body=[*_, ast.Return(value=ast.expr() as value)]) if answer := literal(value):
            yield _asked(test), answer
        case ast.IfExp(test=test, body=value) if answer := literal(value):
            yield _asked(test), answer
        case ast.match_case(pattern=pattern, body=[*_, ast.Return(value=ast.expr() as value)]) if answer := literal(
            value
        ):
            yield (
                ", ".join(literal(part.value) for part in ast.walk(pattern) if isinstance(part, ast.MatchValue)),
                answer,
            )


def _asked(test: ast.expr) -> str:
    """The literals that a condition compares with, in order."""
    compares = [node for node in ast.walk(test) if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)]
    sides = [side for node in compares for side in (node.left, node.comparators[0]) if literal(side)]
    return ", ".join(_arguments(side) for side in sides)


def _arguments(key: ast.expr) -> str:
    return ", ".join(literal(part) for part in key.elts) if isinstance(key, ast.Tuple) else literal(key)


def literal(node: ast.expr) -> str:
    """A literal as text, equal for equal values; empty for what is none."""
    if not isinstance(node, _LITERAL):
        return ""
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""


def _weight(pair: Pair) -> int:
    """How telling a pair is: 0 where an honest special case looks the same."""
    arguments, answer = pair
    words = arguments.split(", ")
    if not arguments or (set(words) <= PLAIN) or (len(words) == 1 and answer in PLAIN and len(arguments) < 8):
        return 0
    telling = len(words) > 1 or (len(arguments) > 12 and len(answer) > 12)
    return 2 if telling else 1
