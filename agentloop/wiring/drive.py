"""The front door: from a goal to a delivered change, or to a loud end."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from agentloop.checks import KINDS
from agentloop.core import events as e
from agentloop.core.goal import Budget, Goal
from agentloop.core.records import Limits
from agentloop.errors import AgentloopError, Interrupted, Refused, Stopped, Terminated
from agentloop.host.runs import find_run, runs_root
from agentloop.loop import run as loop
from agentloop.wiring.again import look_again
from agentloop.wiring.finish import Finished, deliver, fail, succeed
from agentloop.wiring.goalfile import goal_from, load_goal
from agentloop.wiring.options import Options
from agentloop.wiring.prepare import prepare
from agentloop.wiring.session import Session, begin, reopen
from agentloop.wiring.team import assemble


def run(goal: Goal | str | Path | Mapping[str, Any], budget: Budget | None = None, **options: Any) -> Finished:
    """Run `goal` (a Goal, the path of a goal file, or what such a file holds) until its checks pass.

    `budget` replaces the goal's. `options` are the fields of `agentloop.wiring.options.Options`: `runs`,
    `sandbox`, `dirty`, `apply` and so on. Returns only where the goal's checks pass on the delivered tree.
    Raises BudgetExhausted, NoViablePlan, NoProgress, Tampered, ProviderFailed or Interrupted, each with
    `summary`; Refused (GoalFileError), NoSandbox, LogDamaged or Locked.
    """
    chosen = Options(**options)
    session = begin(_goal(goal, budget), chosen)
    try:
        chosen.say(opening(session))
        return drive(session)
    finally:
        session.close()


def resume(name: str, raised: Mapping[str, Any] | None = None, **options: Any) -> Finished:
    """Go on with the run called `name` from its last record; `raised` holds new limits, as fields of Limits.

    Returns and raises like `run`. A run that reached its goal is only delivered again where its result is gone.
    """
    chosen = Options(**options)
    session = reopen(find_run(runs_root(chosen.runs), name), chosen)
    try:
        chosen.say(opening(session))
        if session.log.recovered:
            chosen.say(session.log.recovered)
        if raised and not session.finished:
            limits = Limits.model_validate({**session.state.folded.limits.model_dump(), **raised})
            session.state.record(e.Extended(limits=limits))
        if not session.finished:
            look_again(session)
        return drive(session)
    finally:
        session.close()


def opening(session: Session) -> str:
    """The first line of every run: who plans, who works, in which sandbox."""
    began = session.state.began
    return (
        f"run {began.run}: planner {began.planner}, executor {began.executor}, "
        f"sandbox {session.benches.sandbox.level} ({session.benches.sandbox.leaves_open})"
    )


def drive(session: Session) -> Finished:
    """Take a session to its end, preflight first where that is still to be done. Raises like `run`."""
    if session.finished:
        return deliver(session)
    try:
        if not session.state.folded.usable:
            _prepared(session)
        crew = assemble(session)
        while True:
            state = loop(session.goal, session.state.folded.limits, session.state, crew)
            state.record(session.verifier.verify_goal(state, fresh=True))
            if state.folded.satisfied:
                return succeed(session)
    except Stopped as stop:
        raise fail(session, stop) from None
    except (KeyboardInterrupt, Terminated) as interrupt:
        number = signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT
        halt = Interrupted(f"{number.name} arrived", session.state.summary(), int(number))
        raise fail(session, halt) from None
    except AgentloopError:
        raise
    except Exception as error:  # noqa: BLE001 -- a bug of ours, whatever it is, ends in one line and a kept traceback
        _bug(session, error)


def _prepared(session: Session) -> None:
    try:
        prepare(session)
    except Refused as refusal:
        session.state.record(e.Ended(end=refusal.end, reason=refusal.what, tree=session.state.folded.candidate))
        raise


def _goal(goal: Goal | str | Path | Mapping[str, Any], budget: Budget | None) -> Goal:
    if isinstance(goal, Goal):
        known = goal
    elif isinstance(goal, (str, Path)):
        known = load_goal(goal, KINDS)
    else:
        known = goal_from(dict(goal), Path.cwd(), KINDS)
    return known.model_copy(update={"budget": budget}) if budget else known


def _bug(session: Session, error: Exception) -> NoReturn:
    """Leave the traceback where it can be found and end in one line."""
    path = session.folder / "traceback.txt"
    path.write_text(session.secrets.text("".join(traceback.format_exception(error))))
    said = session.secrets.text(f"{type(error).__name__}: {error}")
    raise AgentloopError(f"{said}; the traceback is in {path}") from error


__all__ = ["Finished", "Options", "resume", "run"]
