"""How far a search is, told while the kit's server still works: the rows that it has written are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

EVERY = 0.3
"""Seconds between two counts."""


@contextmanager
def counted(results: Path, tell: Callable[[int], None]) -> Iterator[None]:
    """While the block runs, `tell` hears now and then how many candidates were tried; once more at its end."""
    over = Event()

    def count() -> None:
        while not over.wait(EVERY):
            tell(_rows(results))

    thread = Thread(target=count, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        tell(_rows(results))


def _rows(results: Path) -> int:
    try:
        return results.read_bytes().count(b"\n")
    except OSError:
        return 0
