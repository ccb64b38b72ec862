"""Weighs the outcomes of single tests against those that are expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentloop.checks.answer import listed

GOOD = ("passed", "xpassed")
BAD = ("failed", "error")
IDLE = ("skipped", "xfailed")
"""Outcomes of a test whose body did not show anything."""


@dataclass(frozen=True)
class Weighed:
    """`reason` is empty where all is well. The tuples hold test ids, sorted."""

    reason: str
    ids: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """Test id → outcome, and what could not be collected, by file or class, with the reason."""

    outcomes: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)


def weigh(seen: Seen, expected: Mapping[str, str] | None) -> Weighed:
    """Whether the tests passed.

    With expected ids each of them must have been executed and have passed, but one that was skipped or xfailed
    on base may still be so; other ids are only recorded. Without (None: the first look at base; empty: nothing
    could be collected there) at least one test must have passed, and none failed.
    """
    ids = tuple(sorted(key for key, outcome in seen.outcomes.items() if outcome in GOOD))
    idle = tuple(sorted(key for key, outcome in seen.outcomes.items() if outcome in IDLE))
    bad = {key: outcome for key, outcome in seen.outcomes.items() if outcome in BAD} | dict(seen.errors)
    if not expected:
        failing = tuple(sorted(bad))
        reason = f"{len(failing)} failing: {listed(failing)}" if failing else "" if ids else _nothing(idle)
        return Weighed(reason, ids, failing, idle)
    lost = {key: why for key, before in expected.items() if (why := _shortfall(key, before, seen))}
    failing = tuple(sorted(bad.keys() | lost.keys()))
    if lost:
        words = [f"{key} ({why})" for key, why in sorted(lost.items())]
        return Weighed(f"{len(lost)} of {len(expected)} expected tests: {listed(words)}", ids, failing, idle)
    return Weighed("", ids, failing, idle)


def _nothing(idle: tuple[str, ...]) -> str:
    return f"no test was executed; {len(idle)} skipped: {listed(idle)}" if idle else "no test was collected"


def _shortfall(key: str, before: str, seen: Seen) -> str:
    """Why the expected id does not count as passed; empty where it does."""
    outcome = seen.outcomes.get(key)
    if outcome is not None:
        good = outcome in GOOD or (outcome in IDLE and before in IDLE)
        return "" if good else outcome
    if key in seen.errors:
        return "could not be collected"
    # What could not be collected on base stands there as a file or class: now all that lies in it must pass.
    inner = [value for name, value in seen.outcomes.items() if name.startswith((f"{key}::", f"{key}/", f"{key}["))]
    errors = [name for name in seen.errors if name.startswith((f"{key}::", f"{key}/"))]
    if any(value in BAD for value in inner) or errors:
        return "failing inside"
    return "" if any(value in GOOD for value in inner) else "not executed"
