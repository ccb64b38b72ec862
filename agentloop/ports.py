"""Every seam of agentloop: real implementations live on the rim, one fake of each in tests/fakes.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentloop.core.chat import Reply, Request, ToolSpec
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.context import TaskContext
from agentloop.core.events import Event, Planned, Stamped
from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.core.task import Artifact, Finding, Task
from agentloop.core.tree import Tree
from agentloop.core.usage import Price


class Blobs(Protocol):
    """Content by its sha256."""

    def put(self, data: bytes) -> str:
        """Keep `data`, return its name. On disk and synced when this returns."""

    def get(self, digest: str) -> bytes:
        """The bytes of that name. Raises LogDamaged where they are missing or do not hash to it."""


class Log(Blobs, Protocol):
    """The append-only record of one run."""

    def append(self, event: Event) -> Stamped:
        """Write one record, whole and synced. Raises LogDamaged where that fails, and from then on always."""

    def __iter__(self) -> Iterator[Stamped]:
        """All records, oldest first."""

    @property
    def head(self) -> str:
        """``seq:hash`` of the last record."""


class Sandbox(Protocol):
    """Starts commands in isolation that was proved on this machine."""

    @property
    def level(self) -> SandboxLevel:
        """How strong the isolation is."""

    @property
    def leaves_open(self) -> str:
        """What the level does not hold, in one line."""

    def run(self, command: Command) -> Ran:
        """Start `command`, wait, and leave nothing of it alive. Never raises for what the command does."""


class Workspace(Protocol):
    """Trees on disk, made from blobs; never the user's checkout."""

    @property
    def base(self) -> Tree:
        """The tree that the run started from."""

    def tree(self, digest: str) -> Tree:
        """The tree of that name."""

    def read(self, tree: Tree, path: str) -> bytes:
        """A file's bytes. Raises KeyError where the tree has no such file."""

    def fresh(self, tree: Tree) -> AbstractContextManager[str]:
        """A new folder that holds exactly `tree`; gone when the context ends."""

    def capture(self, folder: str) -> Tree:
        """What is in `folder` now: own walk, every byte and mode. The blobs and the tree are kept."""

    def changed(self, tree: Tree, files: Mapping[str, bytes]) -> Tree:
        """`tree` with these files in place of its own, kept."""

    def store(self, tree: Tree) -> str:
        """Keep a tree made in memory; return its digest."""


@dataclass(frozen=True)
class Python:
    """The interpreter that runs Python checks. `environ` makes an editable install point at the tree under
    test (see `agentloop.kit.sitecustomize`); `readable` are folders it must be able to read."""

    executable: str
    version: str
    environ: Callable[[str], dict[str, str]]
    readable: tuple[str, ...]
    fingerprint: str


class Launch(Protocol):
    """Runs an argument list within so many seconds, with these variables beside the usual ones, fed with `stdin`."""

    def __call__(self, argv: tuple[str, ...], timeout: float, extra: Mapping[str, str], stdin: bytes = b"") -> Ran:
        """What became of it."""


@dataclass(frozen=True)
class Bench:
    """What a check is given: a fresh folder that holds the tree under test, and the means to look at it.

    `expected` are the ids that passed or were collected on base (None: this is the first look at base).
    `launch` runs an argument list in the sandbox with the folder as working directory, within `timeout`
    seconds, with extra environment variables, and leaves files written under `scratch` to be read.
    `level` is the sandbox's. `disturbed` names a file of the tree that is no longer as it was, if there is one.
    `again` opens a bench on another tree, for kinds that compare two. `refusal` says why a worker, and so a finding,
    may not start a command; None where it may. `twins` asks a kind that can to see whether what passed would fail
    with other expected values.
    """

    folder: str
    scratch: str
    base: Tree
    tree: Tree
    python: Python
    kit: str
    launch: Launch
    read: Callable[[Tree, str], bytes]
    again: Callable[[Tree], AbstractContextManager[Bench]]
    disturbed: Callable[[], str | None] = field(default=lambda: None)
    level: SandboxLevel | None = None
    expected: Mapping[str, str] | None = None
    findings: tuple[Finding, ...] | None = None
    refusal: Callable[[tuple[str, ...]], str | None] = field(default=lambda argv: "no command may be cited here")
    twins: bool = False


class Check(Protocol):
    """One kind of check. Leaves live in `agentloop.checks`, one file each."""

    kind: str

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the parameters, in plain English; empty where nothing is."""

    def files(self, params: Any) -> list[str]:
        """The files and folders of the tree that the check names: they are protected."""

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Take the check. What could not run is `error`, never an exception."""


Pulse = Callable[[int], None]
"""Told, while a reply arrives, how many characters of it are there."""


def unwatched(characters: int) -> None:
    """The pulse of nobody."""


class Model(Protocol):
    """One model behind a provider."""

    @property
    def name(self) -> str:
        """``provider:model``."""

    @property
    def price(self) -> Price | None:
        """Its price; None where it is unknown."""

    def bound(self, request: Request) -> int:
        """An upper bound of the request's input tokens, made without asking anyone."""

    def count(self, request: Request) -> int | None:
        """An upper bound that the service counted itself, closer to the truth; None where it has no such endpoint.
        It costs nothing, and nothing is generated. Raises nothing: a service that fails to count has not counted."""

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """Send one request, and wait no longer than `seconds` or the model's own limit. Raises ModelError where no
        whole reply comes back."""


class ModelError(Exception):
    """No whole reply came back. `retryable` says whether the same request may work later; `retry_after` is in
    seconds. `reason` never contains a key. `billed` says whether the service may have counted the request."""

    def __init__(self, reason: str, *, retryable: bool, retry_after: float | None = None, billed: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.retry_after = retry_after
        self.billed = billed


class Desk(Protocol):
    """A worker's place: a tree of its own that it may read and change, and a way to run commands in it."""

    @property
    def folder(self) -> str:
        """Where the tree lies."""

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises DeskError for a path outside, a link, or a missing file."""

    def write(self, path: str, data: bytes) -> None:
        """Replace or create a file. Raises DeskError for a path outside or not to be written."""

    def files(self) -> list[str]:
        """All paths, sorted."""

    def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
        """Run a command in the sandbox, with the tree as working directory."""

    def snapshot(self) -> Tree:
        """The tree as it is now, kept. Raises DeskError where it is too large to keep, and puts the last one back."""

    def restore(self, digest: str) -> None:
        """Make the folder hold exactly that tree."""


class DeskError(Exception):
    """A path or command that a worker may not use, said so that the worker understands it."""


class Tool(Protocol):
    """Something an executor may call. Leaves live in `agentloop.tools`; the docstring is the description."""

    @property
    def spec(self) -> ToolSpec:
        """As the model is shown it."""

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Do it; return what the model is told. Raises DeskError with words for the model where it can't."""


class Worker(Protocol):
    """Turns a task into an artifact. Decides nothing about whether it is done."""

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Do the task in a tree of its own."""


class Planner(Protocol):
    """The only role with agency: what to do next, asked when the queue is empty and at no other time."""

    def plan(self, state: Any) -> Planned | None:
        """The next plan, valid, probed and kept; None where there is none. `state` is an `agentloop.state.State`."""
