"""A desk that notes which programs could not be started, and which of them can again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from agentloop.core import events as e
from agentloop.core.process import Ran
from agentloop.core.tree import Tree
from agentloop.ports import Desk
from agentloop.state import State


@dataclass(frozen=True)
class WatchedDesk:
    """The Desk port in front of another desk. What the log learns is a program's name and why it did not start."""

    inner: Desk
    state: State

    @property
    def folder(self) -> str:
        """Where the tree lies."""
        return self.inner.folder

    def read(self, path: str) -> bytes:
        """As the inner desk does."""
        return self.inner.read(path)

    def write(self, path: str, data: bytes) -> None:
        """As the inner desk does."""
        self.inner.write(path, data)

    def files(self) -> list[str]:
        """As the inner desk does."""
        return self.inner.files()

    def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
        """Run a command, and take note of a program that could not be started or is back."""
        ran = self.inner.run(argv, timeout)
        task = self.state.folded.current.task if self.state.folded.current else ""
        if ran.missing:
            self.state.record(e.Tried(name=argv[0], ran=False, reason=ran.missing, task=task))
        elif argv[0] in self.state.folded.known.lacking:
            self.state.record(e.Tried(name=argv[0], ran=True, task=task))
        return ran

    def snapshot(self) -> Tree:
        """As the inner desk does."""
        return self.inner.snapshot()

    def restore(self, digest: str) -> None:
        """As the inner desk does."""
        self.inner.restore(digest)


def watched(
    desks: Callable[[Tree], AbstractContextManager[Desk]], state: State
) -> Callable[[Tree], AbstractContextManager[Desk]]:
    """`desks` with each desk watched."""

    @contextmanager
    def opened(tree: Tree) -> Iterator[Desk]:
        with desks(tree) as desk:
            yield WatchedDesk(desk, state)

    return opened
