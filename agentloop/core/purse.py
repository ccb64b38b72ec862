"""What a run has spent, folded from its log, so that no resume can reset it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentloop.core import events as e
from agentloop.core.records import Limits
from agentloop.core.usage import dollars


@dataclass
class RoleSpent:
    """Calls, tokens, nano-dollars and milliseconds of waiting, of one role."""

    calls: int = 0
    uncached: int = 0
    cached: int = 0
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
    roles: dict[str, RoleSpent] = field(default_factory=dict)
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
                self.reserved_nano += event.nano
                self.reserved_tokens += event.tokens
            case e.Replied():
                self._settle(event.request, event.nano, event.usage.tokens)
                self._charge(event)
            case e.Unanswered():
                self._settle(event.request, event.nano, event.tokens)
            case e.ToolRan():
                self.tool_calls += 1
            case e.Verified():
                self.ticks += 1
            case _:
                pass
        self.latest = max(self.latest, at)

    def _settle(self, request: str, nano: int, tokens: int) -> None:
        for asked in self.open:
            if asked.request == request:
                self.open.remove(asked)
                self.reserved_nano -= asked.nano
                self.reserved_tokens -= asked.tokens
                break
        self.nano += nano
        self.tokens += tokens

    def _charge(self, event: e.Replied) -> None:
        role = self.roles.setdefault(event.role, RoleSpent())
        role.calls += 1
        role.uncached += event.usage.uncached + event.usage.written
        role.cached += event.usage.cached
        role.output += event.usage.output
        role.nano += event.nano
        role.milliseconds += event.milliseconds

    def elapsed(self, now: int) -> int:
        """Milliseconds of running time until `now`, over all sessions."""
        return self.earlier + (max(0, now - self.since) if self.since is not None else 0)

    def refusal(self, limits: Limits, nano: int, tokens: int, now: int) -> str | None:
        """Why a call whose worst case is `nano` and `tokens` may not leave at `now`; None where it fits."""
        if limits.milliseconds is not None and self.elapsed(now) >= limits.milliseconds:
            return f"minutes: {limits.milliseconds / 60_000:g} are over"
        left_nano = None if limits.nano is None else limits.nano - self.nano - self.reserved_nano
        left_tokens = None if limits.tokens is None else limits.tokens - self.tokens - self.reserved_tokens
        if left_nano is not None and nano > left_nano:
            return f"usd: the next call may cost {dollars(nano)}, {dollars(max(0, left_nano))} is left"
        if left_tokens is not None and tokens > left_tokens:
            return f"tokens: the next call may use {tokens}, {max(0, left_tokens)} are left"
        return None

    def spent(self, limits: Limits, now: int) -> str | None:
        """Which limit of time, ticks or tool calls leaves no room for another task; None where none does."""
        if limits.ticks is not None and self.ticks >= limits.ticks:
            return f"ticks: {self.ticks} of {limits.ticks} are used"
        if limits.milliseconds is not None and self.elapsed(now) >= limits.milliseconds:
            return f"minutes: {limits.milliseconds / 60_000:g} are over"
        if limits.tool_calls is not None and self.tool_calls > 0 and self.tool_calls >= limits.tool_calls:
            return f"tool_calls: {self.tool_calls} of {limits.tool_calls} are used"
        return None

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
