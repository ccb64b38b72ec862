"""Arguments of a call: two swapped, one left out, one more that a name of the scope gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from agentloop.workers.repair.scope import Scope
from agentloop.workers.repair.source import Source

PRIOR = 0.8


def expressions(node: ast.expr, source: Source, scope: Scope) -> Iterator[str]:
    """The call with its arguments changed."""
    if not isinstance(node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return
    name = source.text(node.func)
    given = [source.text(arg) for arg in node.args]
    named = [(keyword.arg or "**", source.text(keyword.value)) for keyword in node.keywords]
    for first, second in combinations(range(len(given)), 2):
        swapped = list(given)
        swapped[first], swapped[second] = given[second], given[first]
        yield _call(name, swapped, named)
    for first, second in combinations(range(len(named)), 2):
        changed = list(named)
        changed[first] = (named[first][0], named[second][1])
        changed[second] = (named[second][0], named[first][1])
        yield _call(name, given, changed)
    for place in range(len(given)):
        yield _call(name, given[:place] + given[place + 1 :], named)
    for place in range(len(named)):
        yield _call(name, given, named[:place] + named[place + 1 :])
    for extra in scope.names[:4]:
        if extra not in given:
            yield _call(name, [*given, extra], named)


def _call(name: str, given: list[str], named: list[tuple[str, str]]) -> str:
    parts = [*given, *(f"{key}={value}" if key != "**" else f"**{value}" for key, value in named)]
    return f"{name}({', '.join(parts)})"
