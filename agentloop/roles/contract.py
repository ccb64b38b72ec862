"""What a goal's checks mean for trees: which files are fenced off, and what hidden checks bring along."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping

from agentloop.core.check import HiddenSpec
from agentloop.core.goal import Goal
from agentloop.core.screen import Fence
from agentloop.core.tree import EXECUTABLE, FILE, Entry, Tree
from agentloop.ports import Check


def fence_of(goal: Goal, kinds: Mapping[str, Check]) -> Fence:
    """What a change must not touch: also the files that a check names, but not those that a hidden one brings along,
    which are never in a worker's tree."""
    named = {name for spec in goal.checks for name in kinds[spec.kind].files(spec.params)}
    for spec in goal.hidden:
        brought = {file.path for file in spec.files}
        brought |= {parent for path in brought for parent in _parents(path)}
        named |= {name for name in kinds[spec.kind].files(spec.params) if name not in brought}
    return Fence(goal.allow, goal.protect, goal.unlock, tuple(sorted(named)))


def with_files(spec: HiddenSpec, tree: Tree, put: Callable[[bytes], str]) -> Tree:
    """`tree` with the files that `spec` brings along, in place of whatever stands in their way."""
    brought = {}
    for file in spec.files:
        data = base64.b64decode(file.data)
        brought[file.path] = Entry(EXECUTABLE if file.executable else FILE, put(data), len(data))
    folders = {parent for path in brought for parent in _parents(path)}
    kept = {
        path: entry
        for path, entry in tree.items()
        if path not in folders and brought.keys().isdisjoint((path, *_parents(path)))
    }
    return Tree({**kept, **brought})


def _parents(path: str) -> Iterator[str]:
    """Each folder that `path` lies in, below the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
