"""The files that a run leaves for people and for CI jobs. All are derived from the log and can be made again."""

from __future__ import annotations

from typing import Any

from agentloop.core import events as e
from agentloop.core.summary import Summary
from agentloop.core.usage import NANO
from agentloop.core.visible import visible
from agentloop.state import State

LONGEST = 400
"""Characters of one item in a summary; the log holds the rest."""


def result(state: State, summary: Summary, exit_code: int, branch: str, also: str = "") -> dict[str, Any]:
    """What stands in ``result.json``. `also` is the reason that an end of `tampered` hides."""
    folded, began = state.folded, state.began
    roles = {
        name: {
            "calls": role.calls,
            "input": role.uncached,
            "cached": role.cached,
            "output": role.output,
            "usd": role.nano / NANO,
            "seconds": role.milliseconds / 1000,
        }
        for name, role in sorted(folded.purse.roles.items())
    }
    return {
        "run": began.run,
        "end": summary.end,
        "exit": exit_code,
        "reason": summary.reason,
        "also": also,
        "advice": summary.advice,
        "goal": began.goal,
        "base": {"commit": began.base_commit, "tree": began.base_tree},
        "tree": folded.candidate,
        "branch": branch,
        "checks": [_check(state, check) for check in folded.usable],
        "ticks": [vars(tick) for tick in folded.ticks],
        "accepted": [event.task for event in folded.accepted],
        "spent": dict(summary.spent),
        "usd": (folded.purse.nano + folded.purse.reserved_nano) / NANO,
        "roles": roles,
        "planner": began.planner,
        "executor": began.executor,
        "sandbox": began.level,
        "agentloop": began.agentloop,
        "head": state.log.head,
    }


def _check(state: State, check: Any) -> dict[str, Any]:
    found = state.result(check)
    row: dict[str, Any] = {"name": check.check, "role": check.role}
    if found:
        row |= {"status": found.status, "reason": found.reason, "strength": found.strength, "tree": found.tree}
    return row


def markdown(summary: Summary, state: State) -> str:
    """What stands in ``summary.md``."""
    lines = [f"# {summary.end}: {visible(summary.goal)}", "", f"Run `{summary.run}`."]
    lines += [visible(summary.reason)] if summary.reason else []
    lines += _section("Checks", [f"{status}: {name}{_why(why)}" for name, status, why in summary.checks])
    lines += _section("What was tried", list(summary.ticks))
    lines += _section("What was found", list(summary.facts))
    lines += _section("Where the budget went", [f"{name}: {text}" for name, text in summary.spent])
    lines += _section("By role", [_role(name, state) for name in sorted(state.folded.purse.roles)])
    lines += _section("Reviews (opinions, they decide nothing)", [_review(judged) for judged in state.folded.judgments])
    lines += _section("Roadmap that was left", [summary.roadmap] if summary.roadmap else [])
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


def _role(name: str, state: State) -> str:
    role = state.folded.purse.roles[name]
    return f"{name}: {role.calls} calls, {role.uncached} + {role.cached} cached in, {role.output} out"


def _review(judged: e.Judged) -> str:
    return f"{judged.task}: {judged.severity}: {judged.text}"
