"""The writing end of a log file: each line goes in whole and synced, or not at all and then nothing ever again."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentloop.errors import LogDamaged

_INTERRUPTED = "a write was interrupted, and what it left can't be cut off"


@dataclass(frozen=True)
class Files:
    """The three calls that writing rests on, so that their failures can be tried out."""

    write: Callable[[int, bytes], int] = os.write
    fdatasync: Callable[[int], None] = os.fdatasync
    ftruncate: Callable[[int, int], None] = os.ftruncate


class Appender:
    """Appends to the file at `path`. `places` holds where each of its records ends, and the record's hash; a new
    one counts when it is in there. `create` makes the file. Raises OSError where it can't be opened.
    """

    def __init__(self, path: Path, places: list[tuple[int, str]], files: Files, create: bool = False) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if create else 0)
        self._fd = os.open(path, flags, 0o600)
        self._path = path
        self._places = places
        self._files = files
        self._broken = ""

    def append(self, line: bytes, name: str) -> None:
        """Write and sync `line`, a record whose hash is `name`.

        After a failed write or sync the file is cut back, and this and every later call raise LogDamaged: what
        a failed sync lost, a second one would not bring back. An interrupt from the keyboard is no failure:
        the file is cut back, and the next line may go in.
        """
        if self._broken:
            raise LogDamaged(str(self._path), self._end, self._broken)
        self._broken = _INTERRUPTED
        try:
            if (count := self._files.write(self._fd, line)) != len(line):
                raise OSError(0, f"only {count} of {len(line)} bytes were taken")
            self._files.fdatasync(self._fd)
            self._places.append((self._end + len(line), name))
        except OSError as error:
            self._broken = f"the record could not be written: {error.strerror}"
            self._cut_back()
            raise LogDamaged(str(self._path), self._end, self._broken) from error
        except BaseException:
            if self._cut_back():
                self._broken = ""
            raise
        self._broken = ""

    @property
    def _end(self) -> int:
        return self._places[-1][0] if self._places else 0

    def _cut_back(self) -> bool:
        try:
            self._files.ftruncate(self._fd, self._end)
        except OSError as error:
            self._broken += f"; what was written can't be cut off: {error.strerror}"
            return False
        return True

    def close(self) -> None:
        """Let go of the file. Raises from `append` from now on. A second call does nothing."""
        fd, self._fd = self._fd, -1
        self._broken = self._broken or "the log is closed"
        if fd >= 0:
            os.close(fd)
