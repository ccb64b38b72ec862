"""What could stand in an expression's place: names, constants, conditions and attributes from nearby."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

from agentloop.workers.repair.bindings import Found, attributes, bound, first, functions, of_module
from agentloop.workers.repair.source import Function, Source

T = TypeVar("T")

MOST = 12
"""Substitutes of one sort, nearest first."""

KINDS = {"int": "number", "float": "number", "bool": "number", "str": "text", "bytes": "text", "tuple": "list"}
"""Types that are taken as one."""


class Scope:
    """What is around one node, in its function or the module. It is looked up once for all nodes there."""

    def __init__(self, source: Source, node: ast.AST) -> None:
        self.source = source
        self.around: ast.AST = source.function(node) or source.tree
        self.line = getattr(node, "lineno", 1)

    def kind(self, name: str) -> str:
        """What a variable held when the tests ran: number, text, list, a type's name; empty where that is not known."""
        around = self.around
        if not isinstance(around, Function):
            return ""
        first = min([around.lineno, *(mark.lineno for mark in around.decorator_list)])
        kinds = {KINDS.get(kind, kind) for kind in self.source.types.get(first, {}).get(name, ())} - {"NoneType"}
        return kinds.pop() if len(kinds) == 1 else ""

    def alike(self, name: str, other: str) -> float:
        """How likely one name may stand for another, by what both held."""
        one, two = self.kind(name), self.kind(other)
        return 1.0 if not one or not two else 1.2 if one == two else 0.35

    @property
    def names(self) -> list[str]:
        """Parameters and local names bound in the function, those nearest first."""
        return self._near(self._once("names", self.around, bound))

    @property
    def globals(self) -> list[str]:
        """Constants, functions and classes of the module."""
        return self._near(self._once("globals", self.source.tree, of_module))

    @property
    def functions(self) -> list[str]:
        """Functions of the module, by name."""
        return self._near(self._once("functions", self.source.tree, functions))

    def attributes(self, owner: str) -> list[str]:
        """Attributes that the file uses on ``owner``, or, for "", on anything; for ``self`` methods and fields too."""
        return self._near(self._once("attributes", self.source.tree, attributes).get(owner, {}))

    @property
    def numbers(self) -> list[str]:
        """Numbers that stand in the function."""
        return self._near(self._once("numbers", self.around, lambda node: self._constants(node, (int, float))))

    @property
    def texts(self) -> list[str]:
        """String constants of the function, docstrings left out."""
        return self._near(self._once("texts", self.around, lambda node: self._constants(node, (str,))))

    def like(self, sorts: tuple[type[ast.expr], ...]) -> list[str]:
        """Expressions of these sorts in the function, short ones, nearest first."""
        return self._near(self._once(str(sorts), self.around, lambda around: self._written(around, sorts)))

    @property
    def conditions(self) -> list[str]:
        """Conditions that stand in the function."""
        return self._near(self._once("conditions", self.around, self._asked))

    @property
    def returns(self) -> list[str]:
        """Expressions that the function returns."""
        return self._near(self._once("returns", self.around, self._returned))

    @property
    def raises(self) -> list[str]:
        """What the file raises: short texts of exceptions, as they are written."""
        return self._near(self._once("raises", self.source.tree, self._raised))

    def _once(self, sort: str, node: ast.AST, find: Callable[[ast.AST], T]) -> T:
        known = self.source.known
        if (sort, node) not in known:
            known[sort, node] = find(node)
        found: T = known[sort, node]
        return found

    def _constants(self, around: ast.AST, kinds: tuple[type, ...]) -> Found:
        found: Found = {}
        for node in ast.walk(around):
            plain = isinstance(node, ast.Constant) and type(node.value) in kinds
            if plain and not isinstance(self.source.parents.get(node), (ast.Expr, ast.JoinedStr)):
                assert isinstance(node, ast.Constant)
                text = self.source.text(node)
                if len(text) <= 60:
                    found.setdefault(text, node.lineno)
        return found

    def _written(self, around: ast.AST, sorts: tuple[type[ast.expr], ...]) -> Found:
        nodes = [node for node in ast.walk(around) if isinstance(node, sorts) and self.source.placed(node)]
        return first((text, node.lineno) for node in nodes if len(text := self.source.text(node)) <= 60)

    def _asked(self, around: ast.AST) -> Found:
        tests = [node.test for node in ast.walk(around) if isinstance(node, (ast.If, ast.While, ast.IfExp))]
        return first((self.source.text(test), test.lineno) for test in tests)

    def _returned(self, around: ast.AST) -> Found:
        values = [node.value for node in ast.walk(around) if isinstance(node, ast.Return)]
        return first((self.source.text(value), value.lineno) for value in values if value is not None)

    def _raised(self, around: ast.AST) -> Found:
        raised = [node.exc for node in ast.walk(around) if isinstance(node, ast.Raise) and node.exc]
        return first((text, exc.lineno) for exc in raised if len(text := self.source.text(exc)) <= 80)

    def _near(self, bound: Found) -> list[str]:
        ordered = sorted(bound.items(), key=lambda item: (abs(item[1] - self.line), item[0]))
        return [name for name, _ in ordered[:MOST]]


def others(names: Iterable[str], taken: str) -> list[str]:
    """`names` without `taken`."""
    return [name for name in names if name != taken]
