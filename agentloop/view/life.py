"""A sign of life while a model writes: on a terminal one line that changes, elsewhere a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import TextIO

BRISK, CALM = 0.2, 30.0
"""Seconds between two signs, on a terminal and elsewhere."""

TOLD = {"repair": "  repair has tried {count:,} candidates"}
"""What is counted for roles that have no model."""

_ERASE = "\r\x1b[K"


class Life:
    """Writes to `out`. Safe to use from several threads."""

    def __init__(self, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._lock = Lock()
        self._last: float | None = None
        self._shown = False

    def beat(self, role: str, characters: int) -> None:
        """`role`'s model has written so many characters of its answer; a search has tried so many candidates."""
        with self._lock:
            now, terminal = self._clock(), self._out.isatty()
            if self._last is None:
                self._last = now
            if now - self._last < (BRISK if terminal else CALM):
                return
            self._last = now
            words = TOLD.get(role, "  {role} is writing: {count:,} characters").format(role=role, count=characters)
            self._out.write(f"{_ERASE}{words}" if terminal else f"{words}\n")
            self._out.flush()
            self._shown = terminal

    def clear(self) -> None:
        """Take the line away, for what comes now."""
        with self._lock:
            self._last = None
            if self._shown:
                self._out.write(_ERASE)
                self._shown = False
