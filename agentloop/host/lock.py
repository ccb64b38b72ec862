"""The lock of a run folder: one process writes, whoever comes second is told who holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from agentloop.errors import Locked, LogDamaged

NAME = "lock"
"""The file's name. It is never deleted: two processes could else hold two files of the same name."""


class RunLock:
    """An exclusive `flock` on a run folder, from the moment this is built until `close` or the process's end.

    It is not inherited: not by a started program, nor by a forked copy of this process.
    Raises Locked where another holder has it, LogDamaged where the folder can't be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise LogDamaged(str(path), 0, f"the run can't be locked: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _pid(self._fd)
            os.close(self._fd)
            if not isinstance(error, BlockingIOError):
                raise LogDamaged(str(path), 0, f"the run can't be locked: {error.strerror}") from error
            raise Locked(str(folder), holder) from None
        os.register_at_fork(after_in_child=self.close)  # a forked child would keep the run locked for its lifetime
        with contextlib.suppress(OSError):  # the pid is a courtesy: on a full disk the log's own error says more
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)

    def close(self) -> None:
        """Let the lock go. A second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def _pid(fd: int) -> int | None:
    text = os.pread(fd, 20, 0).strip()
    return int(text) if text.isdigit() else None
