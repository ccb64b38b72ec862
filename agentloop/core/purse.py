"""What a run has spent, folded from its log, so that no resume can reset it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentloop.core import events as e
from agentloop.core.records import Limits
from agentloop.core.usage import Price, dollars

LEAST_OUTPUT = 1_024
"""Tokens: a planner or an executor that may answer with fewer can do nothing useful."""


@dataclass
class RoleSpent:
    """What one role or one task used: replies (`calls`), requests that left (`attempts`), tokens, nano-dollars and
    milliseconds of waiting for replies. Requests without a reply count where they may have been billed."""

    calls: int = 0
    attempts: int = 0
    uncached: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    nano: int = 0
    milliseconds: int = 0


@dataclass
class Purse:
    """Spent and reserved amounts. What was asked and never answered stays reserved: it may have been billed."""

    nano: int = 0
    tokens: int = 0
    ticks: int = 0
    tool_calls: int = 0
    reserved_nano: int = 0
    reserved_tokens: int = 0
    earlier: int = 0
    since: int | None = None
    latest: int = 0
    calls: int = 0
    roles: dict[str, RoleSpent] = field(default_factory=dict)
    tasks: dict[str, RoleSpent] = field(default_factory=dict)
    open: list[e.Asked] = field(default_factory=list)

    def apply(self, at: int, event: e.Event) -> None:
        """Take an event, written at `at` milliseconds, into account."""
        match event:
            case e.Began() | e.Resumed():
                self.earlier += max(0, self.latest - self.since) if self.since is not None else 0
                self.since = at
                self.open.clear()  # whatever was under way when the process died stays reserved for good
            case e.Asked():
                self.open.append(event)
                self.calls += 1
                self.reserved_nano += event.nano
                self.reserved_tokens += event.tokens
                for spent in self._accounts(event):
                    spent.attempts += 1
            case e.Replied():
                self._settle(event, event.nano, event.usage.tokens)
                for spent in self._accounts(event):
                    _charge(spent, event)
            case e.Unanswered():
                self._settle(event, event.nano, event.tokens)
                for spent in self._accounts(event):
                    spent.nano += event.nano
            case e.ToolRan():
                self.tool_calls += 1
            case e.Verified():
                self.ticks += 1
            case _:
                pass
        self.latest = max(self.latest, at)

    def _settle(self, event: e.Exchange, nano: int, tokens: int) -> None:
        for asked in self.open:
            if (asked.call, asked.request) == (event.call, event.request):
                self.open.remove(asked)
                self.reserved_nano -= asked.nano
                self.reserved_tokens -= asked.tokens
                break
        self.nano += nano
        self.tokens += tokens

    def _accounts(self, event: e.Exchange) -> list[RoleSpent]:
        accounts = [self.roles.setdefault(event.role, RoleSpent())]
        return accounts + ([self.tasks.setdefault(event.task, RoleSpent())] if event.task else [])

    def elapsed(self, now: int) -> int:
        """Milliseconds of running time until `now`, over all sessions."""
        return self.earlier + (max(0, now - self.since) if self.since is not None else 0)

    def allowance(self, limits: Limits, price: Price, bound: int, wanted: int, now: int) -> int | str:
        """How many tokens a call with at most `bound` input tokens may answer with, at most `wanted`; where not even
        LEAST_OUTPUT of them fit what is left at `now`, which limit it is, in words."""
        if over := self.overtime(limits, now):
            return over
        least, fits = min(wanted, LEAST_OUTPUT), wanted
        if limits.nano is not None:
            left = max(0, limits.nano - self.nano - self.reserved_nano)
            fits = min(fits, price.affordable(left, bound, wanted))
            if fits < least:
                return f"usd: the next call may cost {dollars(price.worst(bound, least))}, {dollars(left)} is left"
        if limits.tokens is not None:
            left = max(0, limits.tokens - self.tokens - self.reserved_tokens)
            fits = min(fits, left - bound)
            if fits < least:
                return f"tokens: the next call may use {bound + least}, {left} are left"
        return fits

    def overtime(self, limits: Limits, now: int) -> str | None:
        """That the minutes are over; None where they are not."""
        if limits.milliseconds is not None and self.elapsed(now) >= limits.milliseconds:
            return f"minutes: {limits.milliseconds / 60_000:g} are over"
        return None

    def spent(self, limits: Limits, now: int) -> str | None:
        """Which limit of time, ticks or tool calls leaves no room for another task; None where none does."""
        if limits.ticks is not None and self.ticks >= limits.ticks:
            return f"ticks: {self.ticks} of {limits.ticks} are used"
        if over := self.overtime(limits, now):
            return over
        if limits.tool_calls is not None and self.tool_calls > 0 and self.tool_calls >= limits.tool_calls:
            return f"tool_calls: {self.tool_calls} of {limits.tool_calls} are used"
        return None

    def left(self, limits: Limits, now: int) -> tuple[tuple[str, str], ...]:
        """Budget name → what is left of it, in its unit, for the planner."""
        spent, over = self.nano + self.reserved_nano, self.elapsed(now)
        money = None if limits.nano is None else f"{dollars(max(0, limits.nano - spent))} of {dollars(limits.nano)}"
        rows = (
            ("usd", money),
            ("tokens", _rest(limits.tokens, self.tokens + self.reserved_tokens)),
            ("ticks", _rest(limits.ticks, self.ticks)),
            ("minutes", None if limits.milliseconds is None else
             f"{max(0, limits.milliseconds - over) / 60_000:.1f} of {limits.milliseconds / 60_000:g}"),
            ("tool_calls", _rest(limits.tool_calls, self.tool_calls)),
        )  # fmt: skip
        return tuple((name, f"{text} left" if text else "no limit") for name, text in rows)

    def report(self, limits: Limits, now: int) -> tuple[tuple[str, str], ...]:
        """Budget name → text like ``3 of 20``, for people and for the planner."""
        money = dollars(self.nano + self.reserved_nano)
        minutes = f"{self.elapsed(now) / 60_000:.1f}"
        rows = (
            ("usd", money, None if limits.nano is None else dollars(limits.nano)),
            ("tokens", str(self.tokens + self.reserved_tokens), limits.tokens),
            ("ticks", str(self.ticks), limits.ticks),
            ("minutes", minutes, None if limits.milliseconds is None else f"{limits.milliseconds / 60_000:g}"),
            ("tool_calls", str(self.tool_calls), limits.tool_calls),
        )
        return tuple((name, f"{used} of {limit}" if limit is not None else used) for name, used, limit in rows)


def _rest(limit: int | None, used: int) -> str | None:
    return None if limit is None else f"{max(0, limit - used)} of {limit}"


def _charge(spent: RoleSpent, event: e.Replied) -> None:
    spent.calls += 1
    spent.uncached += event.usage.uncached
    spent.cached += event.usage.cached
    spent.written += event.usage.written
    spent.output += event.usage.output
    spent.nano += event.nano
    spent.milliseconds += event.milliseconds
