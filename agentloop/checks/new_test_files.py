"""Which files of a change are the new tests, and the trees in which those must fail."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from agentloop.core.globs import matcher
from agentloop.core.tree import EXECUTABLE, FILE, Change, Tree, difference


@dataclass(frozen=True)
class NewFiles:
    """`tests` are the new test files, `support` further new files in their folders (data, an ``__init__.py``),
    `beside` the test files of the same folders that base had, `source` the globs of what a change mends (None:
    all but tests and support). `absent` says what is missing where `tests` is empty."""

    tests: tuple[str, ...]
    support: tuple[str, ...]
    beside: tuple[str, ...]
    source: tuple[str, ...] | None
    absent: str

    def without(self, base: Tree, tree: Tree) -> list[tuple[Tree, str]]:
        """The trees without the source change, each with its name for people; equal ones once."""
        mine = {*self.tests, *self.support}
        bare = Tree({**base, **{path: tree[path] for path in mine}})
        trees = [(bare, "base")]
        if self.source is not None:
            back = tree.patched({path: (new, old) for path, (old, new) in self.mended(base, tree).items()})
            if back.digest != bare.digest:
                trees.append((back, "the tree with the source change taken back"))
        return trees

    def mended(self, base: Tree, tree: Tree) -> Change:
        """The change to the source, without the new tests and what goes with them."""
        mends = matcher(self.source) if self.source is not None else lambda path: True
        mine = {*self.tests, *self.support}
        return {path: pair for path, pair in difference(base, tree).items() if mends(path) and path not in mine}


def new_files(base: Tree, tree: Tree, path: str, source: Sequence[str] | None) -> NewFiles:
    """Find the new files that the glob `path` names."""
    wanted = matcher([f"/{path.removeprefix('./').removeprefix('/')}"])
    change = difference(base, tree)
    added = {name: new for name, (old, new) in change.items() if old is None and new is not None}
    plain = [name for name, new in added.items() if new.mode in (FILE, EXECUTABLE) and name.endswith(".py")]
    tests = tuple(name for name in plain if wanted(name) and posixpath.basename(name) != "conftest.py")
    folders = {posixpath.dirname(name) for name in tests} - {""}
    mends = matcher(source or ())
    support = tuple(name for name in added if name not in tests and not mends(name) and _under(name, folders))
    known = [name for name in base if name.endswith(".py") and posixpath.basename(name).startswith("test_")]
    beside = tuple(name for name in known if name in tree and _under(name, folders))
    old = [name for name in base if wanted(name)]
    absent = f"no new file matches {path!r}" + (f"; {old[0]} was there on base" if old else "")
    return NewFiles(tests, support, beside, None if source is None else tuple(source), absent)


def _under(name: str, folders: set[str]) -> bool:
    return any(name.startswith(f"{folder}/") for folder in folders)
