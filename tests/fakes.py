"""One fake for every port. They are real in what they promise, and simple in how they do it."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentloop.core.chat import Reply, Request, ToolSpec
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.context import TaskContext
from agentloop.core.events import Event, Planned, Stamped
from agentloop.core.events import parse as parse_event
from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.core.task import Artifact, Plan, Task
from agentloop.core.tree import FILE, Entry, Tree
from agentloop.core.usage import FREE, Price
from agentloop.errors import LogDamaged
from agentloop.ports import Bench, Desk, DeskError, Pulse, unwatched


class FakeClock:
    """Milliseconds that pass only when told to."""

    def __init__(self, now: int = 1_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


class FakeBlobs:
    """Content by its sha256, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.kept[digest] = data
        return digest

    def get(self, digest: str) -> bytes:
        if digest not in self.kept:
            raise LogDamaged("memory", 0, f"blob {digest} is missing")
        return self.kept[digest]


class FakeLog(FakeBlobs):
    """The records of a run in memory; each goes through JSON as it would on disk, with its limit of 4 KiB."""

    def __init__(self, clock: Callable[[], int] | None = None) -> None:
        super().__init__()
        self.clock = clock or FakeClock()
        self.records: list[Stamped] = []

    def append(self, event: Event) -> Stamped:
        body = event.model_dump_json()
        assert len(body.encode()) <= 4096, f"{event.kind} does not fit a record"
        stamped = Stamped(seq=len(self.records), at=self.clock(), event=parse_event(body))
        self.records.append(stamped)
        return stamped

    def __iter__(self) -> Iterator[Stamped]:
        return iter(list(self.records))

    @property
    def head(self) -> str:
        return f"{len(self.records) - 1}:{hashlib.sha256(repr(self.records).encode()).hexdigest()[:32]}"

    def kinds(self) -> list[str]:
        return [stamped.event.kind for stamped in self.records]


class FakeSandbox:
    """Plays back what commands became, in order; remembers what was asked."""

    level: SandboxLevel = "none"
    leaves_open = "everything"

    def __init__(self, *results: Ran) -> None:
        self.results = deque(results)
        self.asked: list[Command] = []

    def run(self, command: Command) -> Ran:
        self.asked.append(command)
        return self.results.popleft() if self.results else Ran(code=0)


class FakeWorkspace:
    """Trees in memory; a fresh folder is a real one below `root`."""

    def __init__(self, blobs: FakeBlobs, base: Tree, root: Path) -> None:
        self.blobs, self.base, self.root = blobs, base, root
        self.store(base)
        self.count = 0

    def tree(self, digest: str) -> Tree:
        return Tree.parse(self.blobs.get(digest))

    def read(self, tree: Tree, path: str) -> bytes:
        return self.blobs.get(tree[path].blob)

    @contextmanager
    def fresh(self, tree: Tree) -> Iterator[str]:
        self.count += 1
        folder = self.root / str(self.count)
        folder.mkdir(parents=True)
        for path in tree:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self.read(tree, path))
        yield str(folder)

    def capture(self, folder: str) -> Tree:
        found = {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
        tree = tree_of(self.blobs, found)
        self.store(tree)
        return tree

    def store(self, tree: Tree) -> str:
        return self.blobs.put(tree.manifest)


def tree_of(blobs: FakeBlobs, files: dict[str, bytes]) -> Tree:
    """The tree with these files; everything is kept in `blobs`."""
    tree = Tree({path: Entry(FILE, blobs.put(data), len(data)) for path, data in files.items()})
    blobs.put(tree.manifest)
    return tree


class FakeDesk:
    """A tree in memory."""

    folder = "/nowhere"

    def __init__(self, blobs: FakeBlobs, tree: Tree) -> None:
        self.blobs = blobs
        self.held = {path: blobs.get(entry.blob) for path, entry in tree.items()}
        self.ran: list[tuple[str, ...]] = []

    def read(self, path: str) -> bytes:
        if path not in self.held:
            raise DeskError(f"there is no file {path!r}")
        return self.held[path]

    def write(self, path: str, data: bytes) -> None:
        self.held[path] = data

    def files(self) -> list[str]:
        return sorted(self.held)

    def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
        self.ran.append(argv)
        return Ran(code=0)

    def snapshot(self) -> Tree:
        return tree_of(self.blobs, self.held)

    def restore(self, digest: str) -> None:
        tree = Tree.parse(self.blobs.get(digest))
        self.held = {path: self.blobs.get(entry.blob) for path, entry in tree.items()}


class FakeModel:
    """Answers from a script: replies, errors to raise, or functions of the request."""

    def __init__(self, *script: Reply | Exception | Callable[[Request], Reply], price: Price | None = FREE) -> None:
        self.script = deque(script)
        self.price = price
        self.asked: list[Request] = []
        self.name = "fake:model"
        self.counts: int | None = None

    def bound(self, request: Request) -> int:
        return len(request.model_dump_json())

    def count(self, request: Request) -> int | None:
        return self.counts

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        self.asked.append(request)
        step = self.script.popleft()
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Reply) else step(request)


class FakeCheck:
    """Passes where the file named by its parameters holds ``good``; its ids are the parameters."""

    kind = "fake"

    def __init__(self) -> None:
        self.taken: list[str] = []

    def problems(self, params: Any) -> list[str]:
        return [] if isinstance(params, str) else ["takes a path"]

    def files(self, params: Any) -> list[str]:
        return []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        self.taken.append(bench.tree.digest)
        good = spec.params in bench.tree and b"good" in bench.read(bench.tree, spec.params)
        reason = "" if good else f"{spec.params} is bad"
        failing = () if good else (str(spec.params),)
        status = "passed" if good else "failed"
        return CheckResult(check=spec.label, key=spec.key, status=status, reason=reason, failing=failing)


class FakeTool:
    """Writes its one argument into a file."""

    spec = ToolSpec(name="put", description="put text into a file", parameters={"type": "object"})

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        desk.write("put.txt", str(arguments["text"]).encode())
        return "done"


class FakeWorker:
    """Hands in artifacts from a script."""

    def __init__(self, *script: Artifact | Callable[[Task, TaskContext], Artifact]) -> None:
        self.script = deque(script)
        self.tasks: list[Task] = []

    def run(self, task: Task, context: TaskContext) -> Artifact:
        self.tasks.append(task)
        step = self.script.popleft()
        return step if isinstance(step, Artifact) else step(task, context)


class FakePlanner:
    """Plans from a script; None and an empty script mean that there is nothing left to try."""

    def __init__(self, *script: Plan | None) -> None:
        self.script = deque(script)

    def plan(self, state: Any) -> Planned | None:
        plan = self.script.popleft() if self.script else None
        return state.keep_plan(plan) if plan else None
