"""The crew of a session: the model-free pair, or a planner and workers with models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial

from agentloop.checks import KINDS
from agentloop.core.chat import ToolSpec
from agentloop.core.goal import WorkerSpec
from agentloop.core.task import Task
from agentloop.core.tree import Tree
from agentloop.host.desk import open_desk
from agentloop.ports import Desk, Planner, Tool, Worker
from agentloop.providers.prices import window_of
from agentloop.roles.catalogue import Means, offer
from agentloop.roles.planner import ModelPlanner
from agentloop.roles.rules import RulesPlanner
from agentloop.tools import TOOLS, Policy, Shelf, refusal, toolbox
from agentloop.wiring.crew import RunCrew
from agentloop.wiring.session import Session
from agentloop.workers.command import CommandWorker
from agentloop.workers.react import ReactWorker
from agentloop.workers.recall import RankFor, by_meaning, by_words
from agentloop.workers.repair.locator import Locator, python_tests
from agentloop.workers.repair.worker import RepairWorker
from agentloop.workers.review import ReviewWorker
from agentloop.workers.watched import watched

LOOK = ("read", "list", "search", "suspects", "run", "report")
CHANGE = ("read", "list", "search", "suspects", "edit", "write", "run", "report")

DEFAULTS: Mapping[str, tuple[WorkerSpec, str]] = {
    "code": (WorkerSpec(pattern="react", tools=CHANGE), "changes files to do what the directive says"),
    "research": (WorkerSpec(pattern="react", tools=LOOK), "finds out; findings cite a command and what it printed"),
    "review": (WorkerSpec(pattern="review", model="reviewer"), "an opinion on the change so far, for you to read"),
    "repair": (WorkerSpec(pattern="repair"), "no model: searches small program changes that turn failing tests green; "
               "directive: `scope=traceback|function|file|allowed edits=one|two`"),
    "command": (WorkerSpec(pattern="command"), "runs the one command line that the directive is"),
}  # fmt: skip
"""Capability → who serves it unless the goal says otherwise, and what a planner is told of it."""


def assemble(session: Session) -> RunCrew:
    """Who plans, works and judges in this run."""
    specs = capabilities(session)
    workers = {name: partial(_worker, session, name, spec) for name, (spec, _) in specs.items()}
    return RunCrew(
        session.verifier,
        _planner(session, {name: _with_tools(spec, told) for name, (spec, told) in specs.items()}),
        workers,
    )


def capabilities(session: Session) -> dict[str, tuple[WorkerSpec, str]]:
    """The capabilities of this run: without models only what needs none, a review only with a reviewer, and to a
    planner model the search only where there are Python tests to search by."""
    served = dict(DEFAULTS)
    for name, spec in session.goal.workers.items():
        told = DEFAULTS[name][1] if name in DEFAULTS else f"served by {spec.pattern}"
        served[name] = (spec, told)
    hired = session.staff.models
    if "reviewer" not in hired or session.goal.review == "off":
        served = {name: entry for name, entry in served.items() if entry[0].pattern != "review"}
    if hired and not python_tests(session.goal, session.state.base):
        served = {name: entry for name, entry in served.items() if entry[0].pattern != "repair"}
    needs_model = ("react", "review")
    return {name: entry for name, entry in served.items() if hired or entry[0].pattern not in needs_model}


def _planner(session: Session, told: Mapping[str, str]) -> Planner:
    if not session.staff.models:
        return RulesPlanner(session.verifier.specs)
    spec, commands = session.staff.spec("planner"), session.goal.commands
    means = Means(told, KINDS, _offered(session), session.verifier.fence, lambda argv: refusal(argv, commands))
    offer(session.state, means)
    return ModelPlanner(
        goal=session.goal,
        teller=session.teller("planner"),
        means=means,
        probe=session.verifier.probe,
        max_output=spec.max_output,
        temperature=spec.temperature,
    )


def _offered(session: Session) -> dict[str, str]:
    """Each tool that some worker has, with what it takes and does: planners don't call them, but plan for them."""
    specs = [spec for spec, _ in capabilities(session).values() if spec.pattern == "react"]
    names = {name for spec in specs for name in spec.tools or CHANGE}
    policy = Policy(lambda path: None, session.goal.commands)
    return {name: _told(make(policy).spec) for name, make in TOOLS.items() if name in names}


def _with_tools(spec: WorkerSpec, told: str) -> str:
    return f"{told} (tools: {', '.join(spec.tools or CHANGE)})" if spec.pattern == "react" else told


def _told(spec: ToolSpec) -> str:
    """A tool's parameters by name and type, and the first sentence of what it does."""
    fields = spec.parameters.get("properties", {})
    taken = ", ".join(f"{name}: {field.get('type', 'any')}" for name, field in fields.items())
    return f"({taken}): {spec.description.partition('. ')[0]}"


def _worker(session: Session, name: str, spec: WorkerSpec) -> Worker:
    state, desk = session.state, _desks(session)
    if spec.pattern == "repair":
        return RepairWorker(state, session.goal, session.verifier, session.benches, session.options.pulse)
    if spec.pattern == "command":
        return CommandWorker(state, desk, lambda argv: refusal(argv, session.goal.commands))
    teller = session.teller(spec.model)
    model = session.staff.spec(spec.model)
    if spec.pattern == "review":
        return ReviewWorker(state, teller, session.workspace, model.max_output)
    return ReactWorker(
        name=name,
        state=state,
        teller=teller,
        desk=desk,
        tools=_tools(session, spec),
        spec=spec,
        model=model,
        window=min(map(window_of, session.staff.specs[spec.model])),
        rank=_rank(session, spec),
    )


def _desks(session: Session) -> Callable[[Tree], AbstractContextManager[Desk]]:
    return watched(lambda tree: open_desk(session.workspace, session.benches, tree), session.state)


def _tools(session: Session, spec: WorkerSpec) -> Callable[[Task, Shelf], Mapping[str, Tool]]:
    fence, base, commands = session.verifier.fence, session.state.base, session.goal.commands
    measurable = python_tests(session.goal, base)
    names = tuple(name for name in spec.tools or CHANGE if measurable or name != "suspects")

    def tools(task: Task, shelf: Shelf) -> Mapping[str, Tool]:
        locate = Locator(session.state, session.goal, session.verifier, session.benches, task)
        return toolbox(names, fence, base, task.writes, commands, shelf, locate)

    return tools


def _rank(session: Session, spec: WorkerSpec) -> RankFor:
    if not spec.session.startswith("semantic"):
        return lambda task: by_words
    return lambda task: by_meaning(session.teller("embedder"), task)
