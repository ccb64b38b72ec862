"""A tree as data: which file has which mode and which bytes. Trees are compared and named here, never on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from agentloop.core.digest import sha256

FILE, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000
HARD_LINKED = 0o200000
"""A mark of our own for a file that has a second name somewhere: no file system has such a mode."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: git's mode, the sha256 of its bytes (of a link: of its target) and their number.

    A mode other than FILE, EXECUTABLE and LINK (a device, a fifo, a nested repository, a setuid bit) can be
    recorded, so that the gate can refuse it by name; such an entry is never materialised.
    """

    mode: int
    blob: str
    size: int


class Tree(Mapping[str, Entry]):
    """Path → Entry, sorted; paths are relative, with ``/``, undecodable bytes as lone surrogates."""

    def __init__(self, entries: Mapping[str, Entry] | Iterable[tuple[str, Entry]] = ()) -> None:
        self._entries = dict(sorted(dict(entries).items()))

    def __getitem__(self, path: str) -> Entry:
        return self._entries[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def manifest(self) -> bytes:
        """The tree as bytes, one record per file: ``mode blob size path NUL``. Its sha256 names the tree."""
        records = (
            b"%o %s %d " % (e.mode, e.blob.encode(), e.size) + path.encode("utf-8", "surrogateescape") + b"\0"
            for path, e in self._entries.items()
        )
        return b"".join(records)

    @cached_property
    def digest(self) -> str:
        """The tree's name: 64 hex digits."""
        return sha256(self.manifest)

    @classmethod
    def parse(cls, manifest: bytes) -> Tree:
        """The tree that `manifest` was made from. Raises ValueError where the bytes are not a manifest."""
        entries = []
        for record in manifest.split(b"\0")[:-1]:
            mode, blob, size, path = record.split(b" ", 3)
            entry = Entry(int(mode, 8), blob.decode("ascii"), int(size))
            entries.append((path.decode("utf-8", "surrogateescape"), entry))
        return cls(entries)

    def patched(self, change: Change) -> Tree:
        """This tree with the new side of `change` put in."""
        entries = dict(self._entries)
        for path, (_, new) in change.items():
            if new is None:
                entries.pop(path, None)
            else:
                entries[path] = new
        return Tree(entries)


Change = Mapping[str, tuple[Entry | None, Entry | None]]
"""Path → (old entry or None where the file is new, new entry or None where it is gone), sorted by path."""


def difference(old: Tree, new: Tree) -> Change:
    """What leads from `old` to `new`."""
    paths = sorted(old.keys() | new.keys())
    return {path: (old.get(path), new.get(path)) for path in paths if old.get(path) != new.get(path)}
