"""A Python file as the rules see it: its syntax tree, and what its names stand for."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Page:
    """One file. `tree` is None where the text is not this Python's syntax."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module | None:
        """The parsed file."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the text's own: it is not ours to mend
                return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, parents before children."""
        return list(ast.walk(self.tree)) if self.tree else []

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Node → the node that holds it."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @cached_property
    def names(self) -> dict[str, str]:
        """Local name → what was imported under it, dotted. Imports inside functions count for the whole file."""
        found = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    @cached_property
    def prose(self) -> set[ast.AST]:
        """String constants that are only there to be read: docstrings and other bare strings."""
        return {
            node.value for node in self.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What `node` lies in, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def dotted(self, node: ast.AST) -> str:
        """What an expression stands for as far as it can be read off: ``os._exit``; empty where it can't.

        ``getattr(os, "_exit")``, ``vars(os)["_exit"]``, ``__import__("os")._exit`` and the like are seen through.
        """
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            inner = self.dotted(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Subscript) and (key := text_of(node.slice)):
            whole = self.dotted(node.value)
            if whole == "sys.modules":
                return key
            return f"{whole.removesuffix('.__dict__')}.{key}" if whole.endswith(".__dict__") else ""
        return ""

    def _called(self, node: ast.Call) -> str:
        name = self.dotted(node.func)
        words = [text_of(argument) for argument in node.args]
        if name == "getattr" and len(words) > 1 and words[1]:
            inner = self.dotted(node.args[0])
            return f"{inner}.{words[1]}" if inner else ""
        if name in ("__import__", "importlib.import_module") and words and words[0]:
            return words[0]
        if name == "vars" and node.args and (inner := self.dotted(node.args[0])):
            return f"{inner}.__dict__"
        return ""


def text_of(node: ast.AST) -> str:
    """The text of a string constant, adjacent ones and sums of them included; empty for all else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return left + right if left and right else ""
    return ""
