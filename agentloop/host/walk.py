"""Folders to trees and back: every byte and every mode, by descriptors that follow no link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentloop.core.tree import EXECUTABLE, FILE, HARD_LINKED, LINK, Entry, Tree
from agentloop.errors import Refused, TooMuch

MAX_FILES, MAX_BYTES, MAX_DEPTH = 200_000, 4 * 1024**3, 100
MAX_FILE = 1024**3
"""Bytes of the largest file that is read."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

Put = Callable[[bytes], str]
Skip = Callable[[str], bool]
Clean = Callable[[bytes], bytes]


def capture(folder: str, put: Put, skip: Skip = lambda path: False, clean: Clean = lambda data: data) -> Tree:
    """What is in `folder` now. Blobs go to `put`; paths for which `skip` is true are left out with all below them.

    `clean` gives the bytes of a file as they may be kept.

    Links are recorded with their target. What is neither file nor link (a fifo, a socket, a device), carries a
    setuid, setgid or sticky bit, or has more than one name is recorded with its true mode or HARD_LINKED, so that
    the gate can refuse it. Raises TooMuch past MAX_FILES, MAX_BYTES or MAX_DEPTH, or for a file past MAX_FILE.
    """
    with _opened(folder) as fd:
        entries: dict[str, Entry] = {}
        total = 0
        for path, entry in _walk(fd, "", put, skip, clean, 0):
            entries[path] = entry
            total += entry.size
            if len(entries) > MAX_FILES or total > MAX_BYTES:
                raise TooMuch(f"more than {MAX_FILES} files or {MAX_BYTES} bytes")
    return Tree(entries)


@contextmanager
def _opened(path: str, at: int | None = None) -> Iterator[int]:
    fd = os.open(path, _FOLDER, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)


def _walk(fd: int, prefix: str, put: Put, skip: Skip, clean: Clean, depth: int) -> Iterator[tuple[str, Entry]]:
    if depth > MAX_DEPTH:
        raise TooMuch(f"folders {MAX_DEPTH} deep and more ({prefix[:80]}…)")
    for name in sorted(os.listdir(fd)):
        path = prefix + name
        if skip(path):
            continue
        found = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            with _opened(name, fd) as inner:
                yield from _walk(inner, path + "/", put, skip, clean, depth + 1)
        else:
            yield path, _entry(fd, name, found, put, clean)


def _entry(fd: int, name: str, found: os.stat_result, put: Put, clean: Clean) -> Entry:
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(os.readlink(name, dir_fd=fd))
        return Entry(LINK, put(target), len(target))
    if not stat.S_ISREG(found.st_mode):
        return Entry(found.st_mode, put(b""), 0)
    if found.st_size > MAX_FILE:  # told before it is read: a sparse file may claim more than any memory holds
        raise TooMuch(f"a file of {found.st_size} bytes ({name!r}; at most {MAX_FILE})")
    data = clean(_bytes(fd, name))
    mode = EXECUTABLE if found.st_mode & stat.S_IXUSR else FILE
    if found.st_mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX):
        mode = found.st_mode
    elif found.st_nlink > 1:
        mode = HARD_LINKED
    return Entry(mode, put(data), len(data))


def _bytes(fd: int, name: str) -> bytes:
    with open(os.open(name, _PLAIN, dir_fd=fd), "rb") as file:
        return file.read()


def write_tree(tree: Tree, folder: str, get: Callable[[str], bytes]) -> None:
    """Make the files of `tree` below the empty folder `folder`: folders 0755, files 0644 or 0755, links as links.

    Raises Refused for a path that leads out, or an entry that is neither file nor link.
    """
    made: set[str] = set()
    for path, entry in tree.items():
        parts = path.split("/")
        if any(part in ("", ".", "..") for part in parts) or entry.mode not in (FILE, EXECUTABLE, LINK):
            raise Refused(f"{path!r} (mode {entry.mode:o}) can't be written", "only plain files and links can")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if parent not in made:
                os.mkdir(os.path.join(folder, parent), 0o755)
                made.add(parent)
        _make(os.path.join(folder, path), entry, get(entry.blob))


def _make(name: str, entry: Entry, data: bytes) -> None:
    if entry.mode == LINK:
        os.symlink(os.fsdecode(data), name)
        return
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with open(fd, "wb") as file:
        file.write(data)
        os.fchmod(fd, 0o755 if entry.mode == EXECUTABLE else 0o644)
