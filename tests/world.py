"""A small run in memory: a goal with fake checks on a fake tree, for tests of the loop and of the roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from agentloop.core import events as e
from agentloop.core.check import CheckSpec
from agentloop.core.goal import Goal
from agentloop.core.records import Limits, Ruling, Usable
from agentloop.core.task import Artifact, Finding, Plan, Task
from agentloop.core.tree import Tree
from agentloop.ports import Bench, Python, Worker
from agentloop.roles.verifier import Verifier
from agentloop.state import State
from tests.fakes import FakeCheck, FakeClock, FakeLog, FakePlanner, FakeWorker, tree_of

PYTHON = Python(executable="/usr/bin/python3", version="3", environ=lambda tree: {}, readable=(), fingerprint="x")


@dataclass
class World:
    """Everything a run needs, and the pieces a test wants to look at."""

    goal: Goal
    log: FakeLog
    state: State
    verifier: Verifier
    check: FakeCheck
    clock: FakeClock
    planner: Any = field(default_factory=FakePlanner)
    worker: Worker = field(default_factory=FakeWorker)

    def verify_goal(self, state: State) -> e.Checked:
        return self.verifier.verify_goal(state)

    def plan(self, state: State) -> e.Planned | None:
        planned: e.Planned | None = self.planner.plan(state)
        return planned

    def worker_for(self, capability: str) -> Worker:
        return self.worker

    def verify(self, task: Task, artifact: Artifact, state: State) -> Ruling:
        return self.verifier.verify(task, artifact, state)

    def tree(self, files: dict[str, str]) -> str:
        """The digest of a kept tree with these files."""
        return tree_of(self.log, {path: text.encode() for path, text in files.items()}).digest


def spec(path: str) -> CheckSpec:
    """A fake check: `path` must hold ``good``."""
    return CheckSpec(kind="fake", params=path, name=path)


def task(name: str, *paths: str, **more: Any) -> Task:
    """A task whose acceptance is that each of `paths` is good."""
    acceptance = tuple(map(spec, paths))
    return Task(id=name, capability="code", directive=more.pop("directive", name), acceptance=acceptance, **more)


def plan(*tasks: Task, **more: Any) -> Plan:
    return Plan(tasks=tasks, **more)


def world(
    accept: tuple[str, ...] = ("a",),
    guard: tuple[str, ...] = (),
    base: dict[str, str] | None = None,
    limits: Limits | None = None,
    stall: int = 3,
    log: FakeLog | None = None,
) -> World:
    """A run that has begun: `accept` and `guard` are the paths that fake checks look at."""
    clock = FakeClock()
    log = log or FakeLog(clock)
    goal = Goal(goal="make it good", accept=tuple(map(spec, accept)), guard=tuple(map(spec, guard)))
    files = base if base is not None else {**dict.fromkeys(accept, "bad"), **dict.fromkeys(guard, "good")}
    tree = tree_of(log, {path: text.encode() for path, text in files.items()})
    check = FakeCheck()
    verifier = Verifier(goal, {"fake": check}, log, bench_on(log, tree))
    state = State(log, clock)
    limits = limits or Limits(ticks=20)
    began = e.Began(
        agentloop="test", run="r1", goal=goal.goal, goal_digest=goal.digest, goal_blob="", base_commit="",
        base_tree=tree.digest, limits=limits, stall=stall, planner="fake", executor="fake", level="none",
    )  # fmt: skip
    if not log.records:
        state.record(began)
        roles = [(s, "accept") for s in goal.accept] + [(s, "guard") for s in goal.guard]
        usable = [Usable.model_validate({"check": s.label, "key": s.key, "role": role}) for s, role in roles]
        state.record(e.Prepared(checks=tuple(usable)))
    return World(goal, log, state, verifier, check, clock)


def bench_on(log: FakeLog, base: Tree) -> Any:
    """Opens benches that can only read trees: enough for fake checks."""

    @contextmanager
    def open_bench(
        tree: Tree, expected: Mapping[str, str] | None = None, findings: tuple[Finding, ...] | None = None
    ) -> Iterator[Bench]:
        yield Bench(
            folder="", scratch="", base=base, tree=tree, python=PYTHON, kit="", launch=None,  # type: ignore[arg-type]
            read=lambda of, path: log.get(of[path].blob), again=open_bench, expected=expected, findings=findings,
        )  # fmt: skip

    return open_bench


def done(world: World, files: dict[str, str], **more: Any) -> Artifact:
    """An artifact that leaves a tree with these files and claims to be done."""
    return Artifact(claim="done", tree=world.tree(files), **more)
