"""What a planner may use now, and what a plan is measured against: read off the state."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentloop.core import events as e
from agentloop.core.digest import fingerprint
from agentloop.core.goal import Goal
from agentloop.core.plan_rules import Catalogue
from agentloop.core.records import Usable
from agentloop.core.screen import Fence, outside
from agentloop.core.usage import NANO
from agentloop.ports import Check
from agentloop.state import State


@dataclass(frozen=True)
class Means:
    """What plans may be made of: capabilities and tools, each with what it does or takes, and kinds of checks.
    `refusal` says why an argument list may not be started."""

    capabilities: Mapping[str, str]
    kinds: Mapping[str, Check]
    tools: Mapping[str, str] = field(default_factory=dict)
    fence: Fence | None = None
    refusal: Callable[[tuple[str, ...]], str | None] = lambda argv: None

    @property
    def shown(self) -> dict[str, str]:
        """Check kind → what it takes, in words."""
        return {
            name: " ".join((check.__doc__ or "").strip().split("\n\n")[0].split()) for name, check in self.kinds.items()
        }

    @property
    def version(self) -> str:
        """Names all that a planner is shown of them."""
        return fingerprint([dict(self.capabilities), dict(self.tools), self.shown])[:12]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in it, for telling two versions apart."""
        groups = (("capability", self.capabilities), ("tool", self.tools), ("check kind", self.kinds))
        return tuple(f"{what} {name}"[:60] for what, group in groups for name in sorted(group))


def offer(state: State, means: Means) -> None:
    """Record what plans may use from here on, where that is not what they could use last: a plan of before is stale."""
    folded, names = state.folded, means.names
    if folded.catalogue == means.version:
        return
    change = ""
    if folded.catalogue:
        gone = [f"{name} is gone" for name in folded.offered if name not in names]
        new = [f"{name} is new" for name in names if name not in folded.offered]
        change = ", ".join([*gone, *new]) or "what some of them take or do"
    state.record(e.Offered(version=means.version, names=names, change=change))


def catalogue(state: State, goal: Goal, means: Means) -> Catalogue:
    """The catalogue for the next plan."""
    folded, limits = state.folded, state.folded.limits
    fence = means.fence or Fence(goal.allow, goal.protect, goal.unlock)
    spent = folded.purse.nano + folded.purse.reserved_nano
    return Catalogue(
        version=means.version,
        capabilities=means.capabilities,
        kinds=means.shown,
        tools=means.tools,
        problems=lambda kind, params: means.kinds[kind].problems(params),
        outside=lambda glob: outside(glob, fence, state.base),
        refusal=lambda line: _refusal(line, means),
        lacking=folded.known.standing,
        checks=frozenset(check.check for check in folded.visible),
        unmet=frozenset(check.check for check in unmet(state)),
        known=frozenset(
            name
            for name, fate in folded.fates.items()
            if isinstance(fate, e.Verified) and fate.ruling.status == "passed"
        ),
        used=frozenset(folded.fates),
        failed=frozenset(signature for signature, basis in folded.failed if basis == folded.basis),
        finished=frozenset(signature for signature, tree in folded.finished if tree == folded.candidate),
        plans=frozenset(folded.plans),
        ticks_left=None if limits.ticks is None else limits.ticks - folded.purse.ticks,
        usd_left=None if limits.nano is None else max(0, limits.nano - spent) / NANO,
    )


def unmet(state: State) -> list[Usable]:
    """What a task may serve. Where only hidden checks fail, which no plan may name: any accept check."""
    return state.folded.unmet() or [check for check in state.folded.visible if check.role == "accept"]


def _refusal(line: str, means: Means) -> str | None:
    try:
        argv = tuple(shlex.split(line))
    except ValueError as error:
        return f"{line[:80]!r} is no command line: {error}"
    return means.refusal(argv)
