"""A run put together: new from a goal, or resumed from its folder."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import agentloop
from agentloop import kit
from agentloop.checks import KINDS
from agentloop.core import events as e
from agentloop.core.ends import SATISFIED
from agentloop.core.goal import Budget, Goal
from agentloop.core.records import Limits
from agentloop.core.secrets import Secrets
from agentloop.core.strength import deciding, shortfall
from agentloop.core.usage import NANO
from agentloop.errors import LogDamaged, Refused
from agentloop.host.bench import Benches
from agentloop.host.clean import CleanLog
from agentloop.host.log import FileLog
from agentloop.host.python import find_python
from agentloop.host.runs import new_run, runs_root
from agentloop.host.sandbox import choose
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import Python, Sandbox
from agentloop.providers.prices import dated
from agentloop.roles.teller import Teller
from agentloop.roles.verifier import Verifier
from agentloop.state import State
from agentloop.tools.command_policy import refusal
from agentloop.version import __version__
from agentloop.wiring.goalfile.hidden import differs
from agentloop.wiring.models import Staff, hire, secrets_of
from agentloop.wiring.options import Options
from agentloop.wiring.origin import Origin, find_origin
from agentloop.wiring.secrecy import refuse_exposed

KIT = str(Path(kit.__file__).parent)


@dataclass(frozen=True)
class Session:
    """One process's hold on a run. Close it when done: the log's lock and the work folder go with it."""

    goal: Goal
    folder: Path
    log: FileLog
    state: State
    origin: Origin
    workspace: DiskWorkspace
    benches: Benches
    verifier: Verifier
    staff: Staff
    options: Options
    secrets: Secrets

    @property
    def finished(self) -> bool:
        """Whether the run reached its goal in an earlier session."""
        return self.state.folded.ended is not None and self.state.folded.ended.end == SATISFIED.name

    def teller(self, role: str) -> Teller:
        """Who asks and pays for the models of `role` in this run."""
        return self.staff.teller(self.state, role, self.options.pulse, self.secrets)

    def close(self) -> None:
        """Let go of the run; the folder stays, its work trees go."""
        self.log.close()
        shutil.rmtree(self.folder / "work", ignore_errors=True)


def limits_of(budget: Budget) -> Limits:
    """`budget` in the units of the log."""
    return Limits(
        nano=None if budget.usd is None else round(budget.usd * NANO),
        tokens=budget.tokens,
        ticks=budget.ticks,
        milliseconds=None if budget.minutes is None else round(budget.minutes * 60_000),
        replans=budget.replans,
        tool_calls=budget.tool_calls,
    )


def begin(goal: Goal, options: Options) -> Session:
    """A new run of `goal`: everything that can be refused is refused before its folder is made.

    Raises Refused, NoSandbox, Locked and LogDamaged.
    """
    if short := shortfall(goal, deciding(goal)):
        raise Refused(short, "change the checks under `accept`, or ask for less under `strength`")
    origin = find_origin(goal, options.dirty)
    sandbox = choose(options.sandbox or goal.sandbox)
    python = find_python(goal.python, origin.root, options.environ)
    staff = hire(goal, goal.budget, options)
    refuse_exposed(goal, sandbox.level, (*python.readable, *_readable()), bool(staff.models))
    run, folder = new_run(runs_root(options.runs), goal.goal, options.clock)
    log = FileLog.create(folder, options.clock)
    try:
        base = origin.tree(log.put)
        began = e.Began(
            agentloop=__version__,
            run=run,
            goal=goal.goal,
            goal_digest=goal.digest,
            goal_blob=log.put(goal.model_dump_json().encode()),
            base_commit=origin.commit,
            dirty=origin.dirty,
            base_tree=log.put(base.manifest),
            limits=limits_of(goal.budget),
            stall=goal.stall,
            planner=staff.names("planner") or "rules (no model)",
            executor=staff.names("executor") or "repair (no model)",
            level=sandbox.level,
            python=f"{python.executable} ({python.version})",
            environment=python.fingerprint,
            prices=dated() if staff.models else "",
        )
        return _session(goal, folder, log, origin, sandbox, python, staff, options, began)
    except BaseException:
        log.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise


def reopen(folder: Path, options: Options) -> Session:
    """The run in `folder`, to go on from its last record. Raises Locked, LogDamaged, Refused and NoSandbox."""
    log = FileLog.open(folder, options.clock)
    try:
        began = first_record(log)
        goal = Goal.model_validate_json(log.get(began.goal_blob))
        origin = find_origin(goal, dirty=True).at(began.base_commit, began.dirty)
        sandbox = choose(options.sandbox or goal.sandbox)
        python = find_python(goal.python, origin.root, options.environ)
        staff = hire(goal, goal.budget, options)
        refuse_exposed(goal, sandbox.level, (*python.readable, *_readable()), bool(staff.models))
        if changed := differs(goal, lambda kind, params: KINDS[kind].problems(params)):
            options.say(f"{changed}; this run goes on with those of its beginning")
        resumed = e.Resumed(agentloop=__version__, level=sandbox.level)
        return _session(goal, folder, log, origin, sandbox, python, staff, options, resumed)
    except BaseException:
        log.close()
        raise


def first_record(log: FileLog) -> e.Began:
    """The record that a run starts with. Raises LogDamaged where the log holds another or none."""
    for stamped in log:
        if isinstance(stamped.event, e.Began):
            return stamped.event
        break
    raise LogDamaged(str(log.path), 0, "the log does not start with a `began` record")


def _session(
    goal: Goal,
    folder: Path,
    log: FileLog,
    origin: Origin,
    sandbox: Sandbox,
    python: Python,
    staff: Staff,
    options: Options,
    first: e.Began | e.Resumed,
) -> Session:
    secrets = secrets_of(goal, options.environ)
    clean = CleanLog(log, secrets)
    state = State(clean, options.clock, lambda stamped: options.watch(stamped.event))
    ended = state.folded.ended
    if ended is None or ended.end != SATISFIED.name:
        state.record(first)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    workspace = DiskWorkspace(log, state.base, work, secrets.declared)
    benches = Benches(sandbox, workspace, python, KIT, _readable(), lambda argv: refusal(argv, goal.commands))
    verifier = Verifier(goal, KINDS, log, benches.open, secrets)
    return Session(goal, folder, log, state, origin, workspace, benches, verifier, staff, options, secrets)


def _readable() -> tuple[str, ...]:
    """What checks and workers may read beside the interpreter that was chosen. The shipped check scripts lie beside the
    package in a checkout, inside it in a wheel."""
    package = Path(agentloop.__file__).parent
    beside = package.parent / "verifiers"
    verifiers = (str(beside),) if beside.is_dir() else ()
    return tuple(dict.fromkeys((sys.prefix, sys.base_prefix, str(package), *verifiers)))
