"""The one table of ends and exit codes; help, README and docs are made from it."""

from __future__ import annotations

from dataclasses import dataclass

from agentloop import errors as x


@dataclass(frozen=True)
class End:
    """How a command can end: the exit code, its name, and when."""

    code: str
    name: str
    when: str


def _of(error: type[x.AgentloopError], code: str = "") -> End:
    return End(code or str(error.code), error.end, error.when)


SATISFIED = End("0", "satisfied", "the goal's checks pass on the final tree, taken again in a fresh one")

ENDS: tuple[End, ...] = (
    SATISFIED,
    _of(x.AgentloopError),
    _of(x.Refused),
    _of(x.AlreadySatisfied),
    End("3", "no", "other commands: the answer is no"),
    _of(x.BudgetExhausted),
    _of(x.NoViablePlan),
    _of(x.NoProgress),
    _of(x.Tampered),
    _of(x.ProviderFailed),
    _of(x.NoSandbox),
    _of(x.LogDamaged),
    _of(x.Locked),
    _of(x.ApprovalNeeded),
    _of(x.Interrupted, "130, 143"),
)


def markdown() -> str:
    """The table for README and docs."""
    rows = [f"| {end.code} | {end.name} | {end.when} |" for end in ENDS]
    return "\n".join(["| exit | end | when |", "|---|---|---|", *rows])


def plain() -> str:
    """The table for `--help`."""
    return "\n".join(f"{end.code:>8}  {end.name}: {end.when}" for end in ENDS)
