"""What could stand in an expression's place: names, constants, conditions and attributes from nearby."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from agentloop.workers.repair.source import Source

MOST = 12
"""Substitutes of one sort, nearest first."""


class Scope:
    """The surroundings of one function, or of the module's own code."""

    def __init__(self, source: Source, node: ast.AST) -> None:
        self.source = source
        self.around: ast.AST = source.function(node) or source.tree
        self.line = getattr(node, "lineno", 1)

    @cached_property
    def names(self) -> list[str]:
        """Parameters and local names bound in the function, those nearest above first."""
        bound: dict[str, int] = {}
        for node in ast.walk(self.around):
            if isinstance(node, ast.arg) and node.arg not in ("self", "cls"):
                bound.setdefault(node.arg, node.lineno)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.setdefault(node.id, node.lineno)
        return self._near(bound)

    @cached_property
    def globals(self) -> list[str]:
        """Constants and functions of the module."""
        bound: dict[str, int] = {}
        for node in self.source.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound.setdefault(node.name, node.lineno)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                bound.update({target.id: node.lineno for target in targets if isinstance(target, ast.Name)})
        return self._near(bound)

    @cached_property
    def functions(self) -> list[str]:
        """Functions of the module, by name."""
        defined = (ast.FunctionDef, ast.AsyncFunctionDef)
        return self._near({node.name: node.lineno for node in self.source.tree.body if isinstance(node, defined)})

    @cached_property
    def attributes(self) -> dict[str, list[str]]:
        """Text of an object (``self``, ``order``) → attributes that the file uses on it."""
        found: dict[str, dict[str, int]] = {}
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, {}).setdefault(node.attr, node.lineno)
        for owner in [node for node in ast.walk(self.source.tree) if isinstance(node, ast.ClassDef)]:
            methods = [item for item in owner.body if isinstance(item, (ast.FunctionDef, ast.AnnAssign))]
            for item in methods:
                name = item.name if isinstance(item, ast.FunctionDef) else getattr(item.target, "id", "")
                if name and not name.startswith("__"):
                    found.setdefault("self", {}).setdefault(name, item.lineno)
        return {owner: self._near(names) for owner, names in found.items()}

    @cached_property
    def numbers(self) -> list[str]:
        """Numbers that stand in the function or in the module's constants."""
        return self._constants((int, float))

    @cached_property
    def texts(self) -> list[str]:
        """String constants of the function and the module, docstrings left out."""
        return self._constants((str,))

    @cached_property
    def conditions(self) -> list[str]:
        """Conditions that stand in the function."""
        found: dict[str, int] = {}
        for node in ast.walk(self.around):
            if isinstance(node, (ast.If, ast.While, ast.IfExp)):
                found.setdefault(self.source.text(node.test), node.test.lineno)
        return self._near(found)

    @cached_property
    def returns(self) -> list[str]:
        """Expressions that the function returns."""
        found: dict[str, int] = {}
        for node in ast.walk(self.around):
            if isinstance(node, ast.Return) and node.value is not None:
                found.setdefault(self.source.text(node.value), node.lineno)
        return self._near(found)

    def _constants(self, kinds: tuple[type, ...]) -> list[str]:
        found: dict[str, int] = {}
        for node in ast.walk(self.around):
            plain = isinstance(node, ast.Constant) and type(node.value) in kinds
            if plain and not isinstance(self.source.parents.get(node), (ast.Expr, ast.JoinedStr)):
                assert isinstance(node, ast.Constant)
                text = self.source.text(node)
                if len(text) <= 60:
                    found.setdefault(text, node.lineno)
        return self._near(found)

    def _near(self, bound: dict[str, int]) -> list[str]:
        ordered = sorted(bound.items(), key=lambda item: (abs(item[1] - self.line), item[0]))
        return [name for name, _ in ordered[:MOST]]


def others(names: Iterable[str], taken: str) -> list[str]:
    """`names` without `taken`."""
    return [name for name in names if name != taken]
