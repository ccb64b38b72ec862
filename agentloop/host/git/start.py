"""What is different in the checkout from base, told without git's status or diff: those would run filters."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass

from agentloop.core.tree import EXECUTABLE, FILE, LINK, Entry, Tree
from agentloop.errors import Refused
from agentloop.host.git.plumbing import GitError, git, line
from agentloop.host.git.source import Source, contents, listing


@dataclass(frozen=True)
class _Staged:
    """A file of the index: mode, object, whether it is left out of the checkout, and the size and time it had."""

    mode: int
    blob: str
    absent: bool
    stamp: tuple[int, int, int]


def dirty(source: Source) -> list[str]:
    """Tracked files within the scope that differ from base, sorted; untracked ones never matter.

    Raises Refused where the index holds conflicts.
    """
    base = {path: (mode, blob) for path, mode, blob in listing(source)}
    index = _index(source)
    staged = {path for path in base.keys() | index.keys() if _pair(index.get(path)) != base.get(path)}
    paths = [path for path in base if path in index and path not in staged]
    unlike = []
    for path, data in zip(paths, contents(source, [base[path][1] for path in paths]), strict=True):
        if not index[path].absent and not _same(source, path, base[path][0], data):
            unlike.append(path)
    filtered = _filtered(source, unlike)
    changed = [path for path in unlike if not (path in filtered and _stamp(source, path) == index[path].stamp)]
    return sorted({*staged, *changed})


def with_dirty(source: Source, tree: Tree, put: Callable[[bytes], str]) -> Tree:
    """Base with the checkout's changes of tracked files: what `--dirty` takes along."""
    index = _index(source)
    entries = dict(tree)
    for path in dirty(source):
        found = _present(source, path) if path in index else None
        if found is None:
            entries.pop(path, None)
        else:
            mode, data = found
            entries[path] = Entry(mode, put(data), len(data))
    return Tree(entries)


def _pair(entry: _Staged | None) -> tuple[int, str] | None:
    return (entry.mode, entry.blob) if entry else None


def _index(source: Source) -> dict[str, _Staged]:
    tags = git(source.root, "ls-files", "-t", "-z").split(b"\0")[:-1]
    absent = {os.fsdecode(record[2:]) for record in tags if record[:1] == b"S"}
    stamps = _stamps(source)
    index = {}
    for record in git(source.root, "ls-files", "--stage", "-z").split(b"\0")[:-1]:
        about, _, name = record.partition(b"\t")
        mode, blob, stage = about.decode().split(" ")
        path = os.fsdecode(name)
        if stage != "0":
            raise Refused(f"{path} has an unresolved conflict", "resolve it and commit first")
        index[path] = _Staged(int(mode, 8), blob, path in absent, stamps.get(path, (0, 0, -1)))
    return index


def _stamps(source: Source) -> dict[str, tuple[int, int, int]]:
    """Path → seconds and nanoseconds of the modification and the size, as the index remembers them."""
    first, *rest = git(source.root, "ls-files", "--debug", "-z").split(b"\0")
    stamps, name = {}, first
    for piece in rest:
        # Each name ends with NUL; five lines about it follow, and then comes the next name.
        *about, following = piece.split(b"\n", 5)
        stamps[os.fsdecode(name)] = _numbers(b" ".join(about).decode("ascii", "replace"))
        name = following
    return stamps


def _numbers(text: str) -> tuple[int, int, int]:
    words = text.replace(":", " ").split()
    when = words.index("mtime")
    return int(words[when + 1]), int(words[when + 2]), int(words[words.index("size") + 1])


def _stamp(source: Source, path: str) -> tuple[int, int, int]:
    try:
        found = os.lstat(source.root / path)
    except OSError:
        return (0, 0, -1)
    return found.st_mtime_ns // 10**9, found.st_mtime_ns % 10**9, found.st_size


def _same(source: Source, path: str, mode: int, data: bytes) -> bool:
    """Whether the checkout's file is base's, line ends that git may have converted left aside."""
    found = _present(source, path)
    if found is None:
        return False
    now, text = found
    if now != mode and (LINK in (now, mode) or _modes_count(source)):
        return False
    return text == data or (b"\0" not in data and text.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n"))


def _present(source: Source, path: str) -> tuple[int, bytes] | None:
    name = source.root / path
    try:
        found = os.lstat(name)
        if stat.S_ISLNK(found.st_mode):
            return LINK, os.fsencode(os.readlink(name))
        if not stat.S_ISREG(found.st_mode):
            return None
        return EXECUTABLE if found.st_mode & stat.S_IXUSR else FILE, name.read_bytes()
    except OSError:
        return None


def _modes_count(source: Source) -> bool:
    try:
        return line(source.toplevel, "config", "--type=bool", "--get", "core.fileMode") != "false"
    except GitError:
        return True


def _filtered(source: Source, paths: list[str]) -> set[str]:
    """Those of `paths` that a filter (LFS, say) turns into something else in the checkout."""
    if not paths:
        return set()
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    out = git(source.root, "check-attr", "-z", "--stdin", "filter", stdin=asked).split(b"\0")[:-1]
    return {
        os.fsdecode(path)
        for path, _, value in zip(out[::3], out[1::3], out[2::3], strict=True)
        if value != b"unspecified"
    }
