"""What a piece of syntax binds and names, each with the line where it stands first."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from agentloop.workers.repair.source import Function

Found = dict[str, int]
"""Text → line where it stands first."""


def first(pairs: Iterable[tuple[str, int]]) -> Found:
    """Texts with the line where each comes first."""
    found: Found = {}
    for text, line in pairs:
        found.setdefault(text, line)
    return found


def bound(around: ast.AST) -> Found:
    """Parameters and names that are assigned."""
    names = [(node.arg, node.lineno) for node in ast.walk(around) if isinstance(node, ast.arg)]
    stored = (node for node in ast.walk(around) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return first([pair for pair in names if pair[0] not in ("self", "cls")] + [(n.id, n.lineno) for n in stored])


def functions(tree: ast.AST) -> Found:
    """Functions of a module."""
    defined = [node for node in ast.iter_child_nodes(tree) if isinstance(node, Function)]
    return first((node.name, node.lineno) for node in defined)


def of_module(tree: ast.AST) -> Found:
    """Functions, classes and plain names that a module binds."""
    found: Found = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node.lineno)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update({target.id: node.lineno for target in targets if isinstance(target, ast.Name)})
    return found


def attributes(tree: ast.AST) -> dict[str, Found]:
    """Attributes by what they are read from."""
    found: dict[str, Found] = {}
    for owner, name, line in owned(tree):
        found.setdefault(owner, {}).setdefault(name, line)
    return found


def owned(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Owner, attribute and line; "" stands for any owner, and a class's members are self's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node.attr, node.lineno
            yield "", node.attr, node.lineno
        for item in node.body if isinstance(node, ast.ClassDef) else ():
            name = item.name if isinstance(item, Function) else getattr(getattr(item, "target", None), "id", "")
            if name and not name.startswith("__"):
                yield "self", name, item.lineno
