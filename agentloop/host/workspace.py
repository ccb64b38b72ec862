"""Trees on disk, made from blobs, in folders of the run's own: never the user's checkout."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agentloop.core.digest import sha256
from agentloop.core.tree import FILE, Entry, Tree
from agentloop.host.walk import Clean, capture, write_tree
from agentloop.ports import Blobs


class DiskWorkspace:
    """The Workspace port below the folder `work`, which is made with the first tree and is mode 0700.

    Blobs that were read are kept in memory up to `CACHE_BYTES`: the same tree is written many times in a run.
    """

    CACHE_BYTES = 256 * 1024 * 1024

    def __init__(self, blobs: Blobs, base: Tree, work: Path, clean: Clean = lambda data: data) -> None:
        self.base = base
        self._blobs = blobs
        self._work = work
        self._cache: dict[str, bytes] = {}
        self._cached = 0
        self._known: set[str] = set()
        self._clean = clean
        self._fine = {entry.blob for entry in base.values()}

    def tree(self, digest: str) -> Tree:
        """The tree of that name: its manifest is the blob of the same name."""
        return Tree.parse(self._blobs.get(digest))

    def read(self, tree: Tree, path: str) -> bytes:
        """A file's bytes. Raises KeyError where the tree has no such file."""
        return self._get(tree[path].blob)

    def store(self, tree: Tree) -> str:
        """Keep a tree made in memory; return its digest."""
        return self._put(tree.manifest)

    def put(self, data: bytes) -> str:
        """Keep bytes; return their name."""
        return self._put(data)

    def changed(self, tree: Tree, files: Mapping[str, bytes]) -> Tree:
        """`tree` with these files in place of its own, kept."""
        entries = dict(tree)
        for path, data in files.items():
            entries[path] = Entry(entries[path].mode if path in entries else FILE, self._put(data), len(data))
        made = Tree(entries)
        self.store(made)
        return made

    @contextmanager
    def fresh(self, tree: Tree) -> Iterator[str]:
        """A new folder that holds exactly `tree`; gone when the context ends, whatever was done to it."""
        self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix="tree-", dir=self._work)
        try:
            write_tree(tree, folder, self._get)
            yield folder
        finally:
            remove(folder)

    def refill(self, folder: str, tree: Tree) -> None:
        """Make the existing `folder` hold exactly `tree`."""
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                remove(path)
            else:
                os.unlink(path)
        write_tree(tree, folder, self._get)

    def capture(self, folder: str, skip: Callable[[str], bool] = lambda path: False) -> Tree:
        """What is in `folder` now; blobs and tree are kept."""
        tree = capture(folder, self._put, skip, self._cleaned)
        self.store(tree)
        return tree

    def _cleaned(self, data: bytes) -> bytes:
        """A file's bytes as they may be kept: what base has stays, and nothing is looked at twice."""
        digest = sha256(data)
        if digest not in self._fine:
            data = self._clean(data)
            self._fine.add(sha256(data))
        return data

    def _put(self, data: bytes) -> str:
        digest = self._blobs.put(data)
        self._remember(digest, data)
        return digest

    def _get(self, digest: str) -> bytes:
        if digest not in self._cache:
            self._remember(digest, self._blobs.get(digest))
        return self._cache.get(digest) or self._blobs.get(digest)

    def _remember(self, digest: str, data: bytes) -> None:
        if digest not in self._cache and self._cached + len(data) <= self.CACHE_BYTES:
            self._cache[digest] = data
            self._cached += len(data)


def remove(folder: str) -> None:
    """Take `folder` away with all below it, read-only folders included."""
    try:
        shutil.rmtree(folder)
    except PermissionError:
        for parent, _, _ in os.walk(folder):
            os.chmod(parent, stat.S_IRWXU)
        shutil.rmtree(folder)
