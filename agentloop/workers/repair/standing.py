"""Where a search stands in a run: its tree on a bench, and the tests that the goal's checks keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import coverage

from agentloop.core.tree import LINK, Tree
from agentloop.host.bench import Benches
from agentloop.ports import Bench
from agentloop.roles.verifier import Verifier
from agentloop.state import State
from agentloop.workers.repair.place import Place

BORROW = str(Path(coverage.__file__).parent.parent)
"""The folder of our own `coverage`, for interpreters that have none."""


def place_on(
    bench: Bench,
    benches: Benches,
    tree: Tree,
    allowed: Callable[[str], bool],
    tell: Callable[[int], None] = lambda tried: None,
) -> Place:
    """The place of a search on `tree`, which `bench` holds; `allowed` says which files may change, and `tell` hears
    how many candidates were tried."""
    python = [path for path, entry in tree.items() if path.endswith(".py") and entry.mode != LINK]
    return Place(
        folder=bench.folder,
        scratch=bench.scratch,
        kit=benches.kit,
        python=benches.python.executable,
        launch=benches.launcher(bench.folder, bench.scratch),
        files={path: benches.workspace.read(tree, path) for path in python},
        allowed=allowed,
        borrow=BORROW,
        tell=tell,
    )


def kept_green(state: State, verifier: Verifier, besides: str = "") -> set[str]:
    """The ids that passed on base in the goal's pytest checks, but for the check with the key `besides`."""
    keep: set[str] = set()
    for usable in state.folded.visible:
        if verifier.specs[usable.key].kind == "pytest" and usable.key != besides:
            ids = state.expected(usable) or {}
            keep |= {test for test, outcome in ids.items() if outcome == "passed"}
    return keep
