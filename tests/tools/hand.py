"""Uses tools as a worker does: by name, with arguments as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentloop.core.chat import ToolCall
from agentloop.core.goal import DEFAULT_COMMANDS
from agentloop.core.screen import Fence
from agentloop.host.bench import Benches
from agentloop.host.desk import open_desk
from agentloop.host.sandbox.plain import PlainSandbox
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import Desk
from agentloop.tools import TOOLS, Shelf, invoke, toolbox
from tests.fakes import FakeBlobs, FakeDesk, tree_of
from tests.world import PYTHON

BASE = ("src/a.py", "tests/test_new_old.py")
FENCE = Fence(allow=("src/**", "tests/test_new_*.py"), named=("src/golden.txt",))


class Hand:
    """All tools, on a desk."""

    def __init__(self, desk: Desk, writes: tuple[str, ...] = ()) -> None:
        self.desk = desk
        self.tools = toolbox(tuple(TOOLS), FENCE, BASE, writes, DEFAULT_COMMANDS, Shelf())

    def __call__(self, name: str, **arguments: Any) -> tuple[bool, str]:
        return self.send(name, json.dumps(arguments))

    def send(self, name: str, text: str) -> tuple[bool, str]:
        return invoke(self.tools, ToolCall(id="1", name=name, arguments=text), self.desk)

    def done(self, name: str, **arguments: Any) -> str:
        """The answer of a call that must be done."""
        ok, text = self(name, **arguments)
        assert ok, text
        return text

    def refused(self, name: str, **arguments: Any) -> str:
        """The answer of a call that must be refused and must change nothing."""
        before = self.desk.snapshot()
        ok, text = self(name, **arguments)
        assert not ok, text
        assert self.desk.snapshot() == before
        return text


def hand_with(files: dict[str, bytes], writes: tuple[str, ...] = ()) -> Hand:
    """A hand on a desk in memory."""
    blobs = FakeBlobs()
    return Hand(FakeDesk(blobs, tree_of(blobs, files)), writes)


@contextmanager
def on_disk(folder: Path, files: dict[str, bytes]) -> Iterator[Hand]:
    """A hand on a desk in a folder, where commands run for real."""
    blobs = FakeBlobs()
    tree = tree_of(blobs, files)
    workspace = DiskWorkspace(blobs, tree, folder / "work")
    benches = Benches(PlainSandbox(), workspace, PYTHON, "/nowhere", ())
    with open_desk(workspace, benches, tree) as desk:
        yield Hand(desk)
