"""The account of a run that every end carries."""

from __future__ import annotations

from agentloop.core.frozen import Frozen


class Summary(Frozen):
    """What a person needs to act: what was tried, what each check says now, where the money went.

    `checks` maps a check's label to its status and reason; `ticks` holds one line for each task that was run
    or skipped; `spent` maps a budget's name to a text like ``3 of 20``; `advice` is the next step: the exact
    command that helps, or why another try does not. `suspects` are the suspicious lines of the change as it stands;
    `standing` says, of a run that reached its goal, how hard its checks are to fool. `still` shows, of one that does
    not move, the ticks that led to the same state; `closing` is the planner's own summary, which decides nothing.
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
    suspects: tuple[str, ...] = ()
    standing: str = ""
    still: tuple[str, ...] = ()
    closing: str = ""

    def __str__(self) -> str:
        lines = [f"run {self.run}: {self.end}" + (f": {self.reason}" if self.reason else "")]
        lines += [f"  {status:<7} {label}" + (f": {why}" if why else "") for label, status, why in self.checks]
        lines += [f"  {tick}" for tick in self.ticks]
        lines += [f"  same state: {line}" for line in self.still]
        lines += [f"  {name}: {text}" for name, text in self.spent]
        lines += [f"  suspect: {line}" for line in self.suspects[:5]]
        lines += [f"  and {len(self.suspects) - 5} more suspicious lines"] if len(self.suspects) > 5 else []
        return "\n".join([*lines, *(f"  {text}" for text in (self.advice, self.standing) if text)])
