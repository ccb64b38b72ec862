"""Arguments of a call: two swapped, one left out, one more that a name of the scope gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Function, Source

PRIOR = 0.8

FITS, MISFITS = 1.6, 0.5
"""Weights of a swap after which more, or fewer, arguments are called as their parameters are."""


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str | tuple[str, float]]:
    """The call with its arguments changed; how they are written stays."""
    if not isinstance(node, ast.Call):
        return
    parameters = _parameters(node, source)
    slots = _slots(node, parameters)
    for (first, one), (second, two) in combinations(slots, 2):
        now = (first == _called(one)) + (second == _called(two))
        then = (first == _called(two)) + (second == _called(one))
        weight = (FITS if then > now else MISFITS if then < now else 1.0) if first and second else 1.0
        swapped = ((*source.span(one), source.text(two)), (*source.span(two), source.text(one)))
        yield source.changed(node, *swapped), weight
    yield from _without(node, source)
    yield from _with(node, source, scope, parameters)


def _slots(node: ast.Call, parameters: list[str]) -> list[tuple[str, ast.expr]]:
    """The values of a call, each with the name of its parameter as far as it is known."""
    names = [*parameters, *[""] * len(node.args)]
    given = [(name, arg) for name, arg in zip(names, node.args, strict=False) if not isinstance(arg, ast.Starred)]
    return given + [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]


def _called(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""


def _parameters(node: ast.Call, source: Source) -> list[str]:
    """Parameters of the function of this file that the call means by its name, if there is just one."""
    known = source.known.get("parameters")
    if known is None:
        known = source.known["parameters"] = {}
        for function in ast.walk(source.tree):
            if isinstance(function, Function):
                given = [arg.arg for arg in function.args.posonlyargs + function.args.args]
                owner = source.parents.get(function)
                name = owner.name if function.name == "__init__" and isinstance(owner, ast.ClassDef) else function.name
                known.setdefault(name, []).append(given[1:] if given[:1] in (["self"], ["cls"]) else given)
    found: list[list[str]] = known.get(_called(node.func), [])
    return found[0] if len(found) == 1 else []


def _without(node: ast.Call, source: Source) -> Iterator[str]:
    """The call with one argument less."""
    given = [source.span(arg) for arg in node.args]
    for keyword in node.keywords:
        assert keyword.end_lineno is not None
        assert keyword.end_col_offset is not None
        start = source.starts[keyword.lineno - 1] + keyword.col_offset
        given.append((start, source.starts[keyword.end_lineno - 1] + keyword.end_col_offset))
    given.sort()
    for number, (start, end) in enumerate(given):
        if number + 1 < len(given):
            yield source.changed(node, (start, given[number + 1][0], ""))
        else:
            yield source.changed(node, (given[number - 1][1] if number else start, end, ""))


def _with(node: ast.Call, source: Source, scope: Scope, parameters: list[str]) -> Iterator[str | tuple[str, float]]:
    """The call with one argument more: by keyword where the parameter has the name, else at the end."""
    taken = {*(_called(arg) for arg in node.args), *(_called(keyword.value) for keyword in node.keywords)}
    free = [name for name in scope.names if name not in taken]
    close = source.span(node)[1] - 1
    separate = ", " if node.args or node.keywords else ""
    if source.data[:close].rstrip().endswith(b","):
        separate = ""
    open_ = set(parameters[len(node.args) :]) - {keyword.arg for keyword in node.keywords}
    for name in [name for name in free if name in open_]:
        yield source.changed(node, (close, close, f"{separate}{name}={name}")), FITS
    for name in free[:4]:
        if node.args:
            end = source.span(node.args[-1])[1]
            yield source.changed(node, (end, end, f", {name}"))
        elif node.keywords:
            start = source.starts[node.keywords[0].lineno - 1] + node.keywords[0].col_offset
            yield source.changed(node, (start, start, f"{name}, "))
        else:
            yield source.changed(node, (close, close, name))
