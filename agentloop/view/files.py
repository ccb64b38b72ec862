"""The files that a run leaves for people and for CI jobs. All are derived from the log and can be made again."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentloop.core import events as e
from agentloop.core.purse import RoleSpent
from agentloop.core.strength import strongest
from agentloop.core.summary import Summary
from agentloop.core.usage import NANO, dollars
from agentloop.core.visible import visible
from agentloop.state import State

LONGEST = 400
"""Characters of one item in a summary; the log holds the rest."""


def result(state: State, summary: Summary, exit_code: int, branch: str, also: str = "") -> dict[str, Any]:
    """What stands in ``result.json``. `also` is the reason that an end of `tampered` hides."""
    folded, began = state.folded, state.began
    return {
        "run": began.run,
        "end": summary.end,
        "exit": exit_code,
        "reason": summary.reason,
        "also": also,
        "advice": summary.advice,
        "goal": began.goal,
        "still": list(summary.still),
        "closing": summary.closing,
        "base": {"commit": began.base_commit, "tree": began.base_tree},
        "tree": folded.candidate,
        "branch": branch,
        "checks": [_check(state, check) for check in folded.usable],
        "strength": strongest(strength for _, strength in state.strengths()) if folded.satisfied else None,
        "suspicions": [found.model_dump() for found in state.suspicions()],
        "ticks": [vars(tick) for tick in folded.ticks],
        "accepted": [event.task for event in folded.accepted],
        "spent": dict(summary.spent),
        "usd": (folded.purse.nano + folded.purse.reserved_nano) / NANO,
        "prices": began.prices,
        "roles": {name: _used(spent) for name, spent in sorted(folded.purse.roles.items())},
        "changes": [{"task": event.task, **_used(_by(state, event.task))} for event in folded.accepted],
        "planner": began.planner,
        "executor": began.executor,
        "sandbox": began.level,
        "agentloop": began.agentloop,
        "head": state.log.head,
    }


def _by(state: State, task: str) -> RoleSpent:
    return state.folded.purse.tasks.get(task, RoleSpent())


def _used(spent: RoleSpent) -> dict[str, Any]:
    """`seconds` are those of waiting for replies; `attempts` counts every request that left, `calls` the answered."""
    return {
        "calls": spent.calls,
        "attempts": spent.attempts,
        "input": spent.uncached,
        "cached": spent.cached,
        "written": spent.written,
        "output": spent.output,
        "usd": spent.nano / NANO,
        "seconds": spent.milliseconds / 1000,
    }


def _check(state: State, check: Any) -> dict[str, Any]:
    found = state.result(check)
    row: dict[str, Any] = {"name": check.check, "role": check.role}
    if found:
        row |= {"status": found.status, "reason": found.reason, "strength": found.strength, "tree": found.tree}
    return row


def _hidden(state: State) -> list[str]:
    """Each hidden check with its name and what it said, in the summary's order."""
    found = [(check, state.result(check)) for check in state.folded.hidden]
    return [
        f"{number}. {check.check}: {told.status if told else 'not run: it is taken where all others pass'}"
        f"{_why(told.reason) if told else ''}"
        for number, (check, told) in enumerate(found, 1)
    ]


def markdown(summary: Summary, state: State) -> str:
    """What stands in ``summary.md``."""
    lines = [f"# {summary.end}: {visible(summary.goal)}", "", f"Run `{summary.run}`."]
    lines += [visible(summary.reason)] if summary.reason else []
    lines += _section("Checks", [f"{status}: {name}{_why(why)}" for name, status, why in summary.checks])
    lines += ["", visible(summary.standing)] if summary.standing else []
    lines += _section("Suspicious lines of the change (they prove nothing)", list(summary.suspects))
    lines += _section("Hidden checks (for people: no model is shown this)", _hidden(state))
    lines += _section("What was tried", list(summary.ticks))
    lines += _section("Nothing moved: ticks that led to the same state", list(summary.still))
    lines += _section("What was found", list(summary.facts))
    lines += _section("Where the budget went", [f"{name}: {text}" for name, text in summary.spent])
    roles = sorted(state.folded.purse.roles.items())
    lines += _section("By role", [_spending(name, spent) for name, spent in roles])
    changes = [_spending(event.task, _by(state, event.task)) for event in state.folded.accepted]
    lines += _section("By accepted change", changes if roles else [])
    lines += _section("What the services left out", _noticed(state))
    lines += _section("Reviews (opinions, they decide nothing)", [_review(judged) for judged in state.folded.judgments])
    lines += _section("Roadmap that was left", [summary.roadmap] if summary.roadmap else [])
    lines += _section("The planner's closing words (they decide nothing)", [summary.closing] if summary.closing else [])
    lines += ["", "## Next", "", visible(summary.advice)] if summary.advice else []
    return "\n".join(lines) + "\n"


def _section(title: str, items: list[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {_one_line(item)}" for item in items)] if items else []


def _one_line(text: str) -> str:
    """`text` on one line, cut to LONGEST characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def _why(why: str) -> str:
    return f": {why}" if why else ""


def _spending(name: str, spent: RoleSpent) -> str:
    into = f"{spent.uncached} in, {spent.cached} from the cache, {spent.written} into it, {spent.output} out"
    tries = f"{spent.calls} answers of {spent.attempts} requests"
    return f"{name}: {tries}, tokens {into}, {dollars(spent.nano)}, {spent.milliseconds / 1000:.1f} s"


def _noticed(state: State) -> list[str]:
    """Each thing once for each model, with how often."""
    said = Counter(
        f"{stamped.event.model}: {stamped.event.noticed}"
        for stamped in state.log
        if isinstance(stamped.event, e.Replied) and stamped.event.noticed
    )
    return [f"{text} ({times} answers)" for text, times in said.items()]


def _review(judged: e.Judged) -> str:
    return f"{judged.task}: {judged.severity}: {judged.text}"
