"""Mutants of changed lines: small faults put into a Python file where a change was made, one at a time.

A test that looks at what a change does fails on some of them; one that only imports or names it fails on none. The
operators are among those of mutation testing at large (DeMillo, Lipton and Sayward, "Hints on test data selection",
IEEE Computer 11(4), 1978; Offutt et al., "An experimental determination of sufficient mutant operators", TOSEM 5(2),
1996): relational, arithmetic and logical operators, constants, conditions, and what a function returns.
"""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from agentloop.core.splice import parsed

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}  # fmt: skip
_BLIND = (ast.JoinedStr, ast.arguments)
"""What is left alone: places inside an f-string are not told by Python 3.11, and a default is seldom asked for."""


Fault = tuple[ast.expr, ast.expr]
"""An expression, and what a mutant has in its place."""


@dataclass(frozen=True)
class Mutant:
    """A whole file with one fault: at `line`, where `old` stood and `new` stands now."""

    line: int
    old: str
    new: str
    text: str


def mutants(before: str, after: str, limit: int) -> list[Mutant]:
    """At most `limit` mutants of `after` in the lines that differ from `before`, spread over those lines.

    Always the same ones. None where `after` is not Python's syntax.
    """
    try:
        tree = parsed(after)
    except SyntaxError:
        return []
    lines = _changed(before, after)
    by_line: dict[int, list[Fault]] = defaultdict(list)
    for node, new in _faults(tree):
        if node.lineno in lines:
            by_line[node.lineno].append((node, new))
    places = sorted(by_line)[:: max(1, len(by_line) // limit)]
    turns = chain.from_iterable(zip_longest(*(by_line[line] for line in places)))
    made = (_made(after, *fault) for fault in turns if fault)
    return list(islice((mutant for mutant in made if _is_one(mutant, tree)), limit))


def _changed(before: str, after: str) -> set[int]:
    """Numbers of the lines of `after` that are new or other than in `before`."""
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    return {line + 1 for tag, _, _, first, end in matcher.get_opcodes() if tag != "equal" for line in range(first, end)}


def _faults(tree: ast.Module) -> Iterator[Fault]:
    """Each expression that has a fault to offer, and the fault."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        prose = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if prose or isinstance(node, _BLIND):
            continue
        todo += reversed([part for name, part in _parts(node) if name not in ("annotation", "returns")])
        if isinstance(node, ast.expr):
            if (fault := _fault(node)) is not None:
                yield node, fault
        elif isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Return) and not (node.value is None or _is_none(node.value)):
            yield node.value, ast.Constant(None)


def _parts(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The nodes below `node`, each with the field that holds it."""
    for name, value in ast.iter_fields(node):
        yield from (
            (name, part) for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST)
        )


def _fault(node: ast.expr) -> ast.expr | None:
    """`node` with a fault in it."""
    match node:
        case ast.Compare(left, [op], rest):
            return ast.Compare(left, [_COMPARED[type(op)]()], rest)
        case ast.BinOp(left, op, right) if type(op) in _COMPUTED:
            return ast.BinOp(left, _COMPUTED[type(op)](), right)
        case ast.BoolOp(ast.And(), values):
            return ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(ast.Or(), values):
            return ast.BoolOp(ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            return ast.Constant(value + 1)
        case ast.Constant(str() as value):
            return ast.Constant(value + "x")
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _made(text: str, node: ast.expr, new: ast.expr) -> Mutant:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = [line.encode() for line in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    data = text.encode()
    start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
    words = f"({ast.unparse(new)})"
    whole = (data[:start] + words.encode() + data[end:]).decode("utf-8", "replace")
    return Mutant(node.lineno, data[start:end].decode("utf-8", "replace"), words, whole)


def _is_one(mutant: Mutant, tree: ast.Module) -> bool:
    """Whether Python can read it, and as something else."""
    try:
        return ast.dump(parsed(mutant.text)) != ast.dump(tree)
    except SyntaxError:
        return False
