"""Content by its sha256, one file each, in a folder of a run."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path

from agentloop.core.digest import sha256
from agentloop.errors import LogDamaged

_NAME = re.compile(r"[0-9a-f]{64}")


class FileBlobs:
    """The Blobs port on disk: ``<folder>/<first two digits>/<all 64 digits>``, for the owner only.

    A blob is written aside, synced, renamed, and its folder synced, so that a name never stands for half a
    blob; it is compared with its name whenever it is read. Several threads may use one object.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: set[str] = set()

    def put(self, data: bytes) -> str:
        """Keep `data`, return its name. On disk and synced when this returns.

        Raises LogDamaged where it can't be written.
        """
        digest = sha256(data)
        if digest in self._kept:
            return digest
        path = self._path(digest)
        try:
            if not path.parent.is_dir():
                self._folder.mkdir(mode=0o700, exist_ok=True)
                path.parent.mkdir(mode=0o700, exist_ok=True)
                sync_folder(self._folder.parent)
                sync_folder(self._folder)
            if not path.exists():
                write_aside(path, data)
            sync_folder(path.parent)  # for a blob found there too: who renamed it may have died before syncing
        except OSError as error:
            raise LogDamaged(str(path), 0, f"the blob can't be written: {error.strerror}") from error
        self._kept.add(digest)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of that name. Raises LogDamaged where they are missing or do not hash to it."""
        if not _NAME.fullmatch(digest):
            raise LogDamaged(str(self._folder), 0, f"{digest!r} is not the name of a blob (64 hex digits)")
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise LogDamaged(str(path), 0, f"the blob can't be read: {error.strerror}") from error
        if sha256(data) != digest:
            raise LogDamaged(str(path), 0, f"the blob's {len(data)} bytes do not hash to its name")
        return data

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def write_aside(path: Path, data: bytes) -> None:
    """Make `path` hold `data`, whole or not at all; sync the bytes, not the folder. Raises OSError."""
    fd, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)  # mode 0600
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` last. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
