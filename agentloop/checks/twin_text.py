"""Makes the twin of a test file: the same tests under the same ids, each of which must now fail.

Where a test compares what a call gave with a literal, the literal is changed; where it has another shape, a wrong
assertion is put in front. Left alone is every test of which honest code might survive the change: async ones,
generators, those that return early, with decorators that could catch a failure, with approximate or wildcard values.
"""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Container, Iterator
from dataclasses import dataclass

Name = tuple[str, ...]
"""A test within its file: its classes and its function."""

_LOOSE = re.compile(r"approx|any|close|almost|match|like|wild|mock|fuzzy|ignor|anything", re.IGNORECASE)
_DECORATOR = re.compile(
    r"^(?:pytest\.)?mark\.(?!xfail|skip$)\w+$|^(?:unittest\.)?(?:mock\.)?patch(?:\.\w+)*$|^staticmethod$"
)


@dataclass(frozen=True)
class Twin:
    """The changed text, the tests in it that must fail, and how many rounds there are (see `twin_of`)."""

    text: str
    names: frozenset[Name]
    rounds: int


def twin_of(text: str, wanted: Container[Name], number: int, rng: random.Random) -> Twin:
    """The twin of `text` for the tests in `wanted`. A test with several comparisons has one changed in each round:
    in round `number` (from 0) the one of that number, or the last."""
    if "\r" in text or "\f" in text:  # where Python's idea of a line is not ours
        return Twin(text, frozenset(), 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return Twin(text, frozenset(), 0)
    page = _Page(text)
    names, rounds = set(), 0
    for name, function in _tests(module.body, ()):
        if name in wanted and _usable(function):
            literals = list(_literals(function))
            rounds = max(rounds, len(literals), 1)
            if literals:
                page.replace(literals[min(number, len(literals) - 1)], rng)
                names.add(name)
            elif page.precede(function, rng):
                names.add(name)
    return Twin(page.changed(), frozenset(names), rounds)


class _Page:
    """Collects replacements by place, and makes them all at once."""

    def __init__(self, text: str) -> None:
        self._lines = text.encode("utf-8", "surrogatepass").splitlines(keepends=True)
        self._data = b"".join(self._lines)
        self._edits: dict[tuple[int, int], bytes] = {}

    def replace(self, node: ast.expr, rng: random.Random) -> None:
        """Put another literal in the place of `node`."""
        made = repr(_other(ast.literal_eval(node), rng)).encode()
        end = self._at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        self._edits[self._at(node.lineno, node.col_offset), end] = made

    def precede(self, function: ast.FunctionDef, rng: random.Random) -> bool:
        """Put a wrong assertion first; False where there is nothing to put it before."""
        body = [
            part for part in function.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        ]
        if not body or (isinstance(body[0], (ast.FunctionDef, ast.ClassDef)) and body[0].decorator_list):
            return False
        first = rng.randrange(10, 90)
        at = self._at(body[0].lineno, body[0].col_offset)
        lead = self._lines[body[0].lineno - 1][: body[0].col_offset]
        wrong = f"assert sum([{first}, 3]) == {first + rng.randrange(4, 90)}".encode()
        if lead.strip():  # after the colon of the def, or after a docstring
            self._edits[at, at] = wrong + b"; "
        else:
            self._edits[at, at] = wrong + b"\n" + lead
        return True

    def changed(self) -> str:
        """The text with all edits made."""
        data = self._data
        for (start, end), made in sorted(self._edits.items(), reverse=True):
            data = data[:start] + made + data[end:]
        return data.decode("utf-8", "surrogatepass")

    def _at(self, line: int, column: int) -> int:
        return sum(map(len, self._lines[: line - 1])) + column


def _tests(body: list[ast.stmt], inside: Name) -> Iterator[tuple[Name, ast.FunctionDef]]:
    for part in body:
        if isinstance(part, ast.FunctionDef):
            yield (*inside, part.name), part
        elif isinstance(part, ast.ClassDef) and all(_harmless(word) for word in part.decorator_list):
            yield from _tests(part.body, (*inside, part.name))


def _usable(function: ast.FunctionDef) -> bool:
    own = list(_own(function))
    early = any(isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) for node in own)
    return not early and all(map(_harmless, function.decorator_list))


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and classes in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def _harmless(decorator: ast.expr) -> bool:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return bool(_DECORATOR.match(ast.unparse(made)))


def _literals(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The literals that plain statements of the function compare with what a call gave."""
    given: dict[str, ast.expr] = {}
    for part in function.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given[name] = value
            case ast.Assert(test=ast.Compare(ops=[ast.Eq()], left=left, comparators=[right])):
                yield from _sides(left, right, given)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="assertEqual"), args=[left, right, *_])):
                yield from _sides(left, right, given)


def _sides(left: ast.expr, right: ast.expr, given: dict[str, ast.expr]) -> Iterator[ast.expr]:
    for value, literal in ((left, right), (right, left)):
        if _is_literal(literal) and _exact(value, given):
            yield literal
            return


def _exact(value: ast.expr, given: dict[str, ast.expr]) -> bool:
    """Whether `value` comes from a call, and can't honestly be equal to two different literals."""
    value = given.get(value.id, value) if isinstance(value, ast.Name) else value
    words = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
    words += [node.attr for node in ast.walk(value) if isinstance(node, ast.Attribute)]
    if any(map(_LOOSE.search, words)):
        return False
    if isinstance(value, ast.Call):
        name = ast.unparse(value.func).split(".")[-1]
        return not name[:1].isupper()  # an object just made: its own idea of equality may be what is tested
    return any(isinstance(node, ast.Call) for node in ast.walk(value)) and not _is_literal(value)


def _is_literal(node: ast.expr) -> bool:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return not isinstance(value, complex) and value is not Ellipsis


def _other(value: object, rng: random.Random) -> object:
    """A literal of the same type that is far from `value`, and differs from run to run."""
    number = rng.randrange(7_001, 90_001)
    match value:
        case bool():
            return not value
        case int() | float():
            return value + number
        case str():
            return f"{value}{number}"
        case bytes():
            return value + str(number).encode()
        case list():
            return [*value, number]
        case tuple():
            return (*value, number)
        case set():
            return {*value, number}
        case dict():
            return {**value, number: number}
    return number
