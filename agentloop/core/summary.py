"""The account of a run that every end carries."""

from __future__ import annotations

from agentloop.core.frozen import Frozen


class Summary(Frozen):
    """What a person needs to act: what was tried, what each check says now, where the money went.

    `checks` maps a check's label to its status and reason; `ticks` holds one line for each task that was run
    or skipped; `spent` maps a budget's name to a text like ``3 of 20``; `advice` is the next step: the exact
    command that helps, or why another try does not.
    """

    run: str
    goal: str
    end: str = ""
    reason: str = ""
    checks: tuple[tuple[str, str, str], ...] = ()
    ticks: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    spent: tuple[tuple[str, str], ...] = ()
    roadmap: str = ""
    advice: str = ""

    def __str__(self) -> str:
        lines = [f"run {self.run}: {self.end}" + (f": {self.reason}" if self.reason else "")]
        lines += [f"  {status:<7} {label}" + (f": {why}" if why else "") for label, status, why in self.checks]
        lines += [f"  {tick}" for tick in self.ticks]
        lines += [f"  {name}: {text}" for name, text in self.spent]
        return "\n".join([*lines, *([f"  {self.advice}"] if self.advice else [])])
