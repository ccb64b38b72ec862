"""The end of a run: what is recorded, what is left for people, and what is delivered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from agentloop.core import events as e
from agentloop.core.ends import SATISFIED
from agentloop.core.patch import patch
from agentloop.core.summary import Summary
from agentloop.errors import (
    BudgetExhausted,
    Interrupted,
    NoProgress,
    NoViablePlan,
    ProviderFailed,
    Refused,
    Stopped,
    Tampered,
)
from agentloop.host.blobs import write_aside
from agentloop.roles.closing import close
from agentloop.view.files import markdown, result
from agentloop.wiring.origin import branch_name, delivery
from agentloop.wiring.session import Session


@dataclass(frozen=True)
class Finished:
    """A run that reached its goal. `branch` is empty for a plain folder; `patch` is the file with the change."""

    run: str
    folder: Path
    branch: str
    patch: Path
    summary: Summary


def succeed(session: Session) -> Finished:
    """Record success, then deliver: the branch first, the checkout last and only where it was asked for.

    Raises Refused where the branch exists or the checkout is no longer as base was; the run is recorded as
    satisfied all the same, and its patch is there.
    """
    _close(session, SATISFIED.name, "")
    _end(session, SATISFIED.name, "")
    return deliver(session)


def deliver(session: Session) -> Finished:
    """Hand over what a satisfied run made: the patch first, then the branch, the checkout last.

    What is there already stays: a resumed run delivers once. Raises Refused as `succeed` does.
    """
    state, change = session.state, session.folder / "patch.diff"
    summary, branch = state.summary(SATISFIED.name, "", f"apply {change}"), ""
    _leave(session, summary, 0, "")
    try:
        if branch := _branch(session):
            summary = state.summary(SATISFIED.name, "", f"git merge {branch}")
            _leave(session, summary, 0, branch)
        if session.options.apply:
            session.origin.apply(state.base, state.candidate, session.log.get)
    except Refused as refusal:
        _leave(session, summary, refusal.code, branch, f"not delivered: {refusal.what}")
        raise
    return Finished(state.began.run, session.folder, branch, change, summary)


def fail(session: Session, stop: Stopped) -> Stopped:
    """Record how the run ended and leave what it has; the error to raise, with the whole summary."""
    state = session.state
    also = ""
    last = state.folded.last
    if last and last.ruling.status == "tamper" and isinstance(stop, (BudgetExhausted, NoViablePlan, NoProgress)):
        also = f"{stop.end}: {stop.reason}"
        stop = Tampered(last.ruling.reason, stop.summary)
    if not isinstance(stop, (Interrupted, ProviderFailed)):
        _close(session, stop.end, stop.reason)
    _end(session, stop.end, stop.reason)
    summary = state.summary(stop.end, stop.reason, advice(session, stop))
    code = 128 + stop.signal if isinstance(stop, Interrupted) else stop.code
    _leave(session, summary, code, "", also)
    stop.summary = summary
    return stop


def advice(session: Session, stop: Stopped) -> str:
    """What helps: the exact command, or why another try of the same does not."""
    resume = f"agentloop resume {session.state.began.run}"
    if session.options.runs:
        resume += f" --runs {session.options.runs}"
    limits = session.state.folded.limits
    if isinstance(stop, BudgetExhausted):
        doubled = {
            "usd": f"--usd {2 * (limits.nano or 0) / 1e9:g}",
            "tokens": f"--tokens {2 * (limits.tokens or 0)}",
            "ticks": f"--ticks {2 * (limits.ticks or 0)}",
            "minutes": f"--minutes {2 * (limits.milliseconds or 0) / 60_000:g}",
            "tool_calls": f"--tool-calls {2 * (limits.tool_calls or 0)}",
        }
        return f"to go on with a higher limit: {resume} {doubled.get(stop.reason.partition(':')[0], '')}".rstrip()
    if isinstance(stop, (Interrupted, ProviderFailed)):
        return f"to go on: {resume}"
    if isinstance(stop, NoViablePlan) and not session.goal.models:
        return (
            "do not retry: the search without a model is exhausted; name a planner and an executor under `models:` "
            "in the goal file, or start from the suspicious lines above"
        )
    return "do not retry as it is: change the goal, its checks, `allow` or the models first"


def _close(session: Session, end: str, reason: str) -> None:
    """Have the planner say a few words where the goal asks for them (`summary: model`)."""
    if session.goal.summary != "model" or not session.staff.models:
        return
    if why := close(session.teller("planner"), session.state, end, reason):
        session.options.say(why)


def _end(session: Session, end: str, reason: str) -> None:
    session.state.record(e.Ended(end=end, reason=reason, tree=session.state.folded.candidate))


def _branch(session: Session) -> str:
    title = " ".join(session.goal.goal.split())
    message = title if len(title) <= 72 else title[:71] + "…"
    wanted = delivery(session.state, session.log.head)
    return session.origin.branch(branch_name(session.state), wanted, session.log.get, message)


def _leave(session: Session, summary: Summary, code: int, branch: str, also: str = "") -> None:
    """`patch.diff`, `summary.md` and `result.json`: derived from the log, each written whole or not at all."""
    state = session.state
    change = patch(state.base, state.candidate, session.workspace.read)
    write_aside(session.folder / "patch.diff", change)
    write_aside(session.folder / "summary.md", markdown(summary, state).encode())
    found = result(state, summary, code, branch, also)
    write_aside(session.folder / "result.json", json.dumps(found, indent=2).encode() + b"\n")
