"""Reads files that the code under test may have written, or replaced by something else."""

from __future__ import annotations

import os
import stat

LIMIT = 64 * 1024 * 1024
"""Bytes that are read at most."""


def read_scratch(folder: str, name: str) -> bytes | None:
    """The bytes of the plain file `name` in `folder`; None where there is none, or it is a link, leads out of
    the folder, is a device or pipe (which could hold us up for ever), or is larger than LIMIT."""
    path = os.path.join(folder, name)
    root = os.path.realpath(folder)
    if os.path.commonpath([root, os.path.realpath(path)]) != root:
        return None
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LIMIT:
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(LIMIT)
