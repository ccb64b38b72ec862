"""What a planner is shown: a bounded, ordered projection of the state. Never a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentloop.core.fold import Tick
from agentloop.core.plan_rules import Catalogue
from agentloop.core.task import Fact

FACTS, TICKS, JUDGMENTS = 60, 30, 10
TEXT = 600
"""Characters of one fact, line or judgment."""


@dataclass(frozen=True)
class CheckNow:
    """A goal check as it stands: `output` is the end of what it printed last."""

    name: str
    role: str
    status: str
    reason: str
    output: str


@dataclass(frozen=True)
class View:
    """Everything that may enter the planner's prompt."""

    goal: str
    hint: str
    checks: Sequence[CheckNow]
    catalogue: Catalogue
    budget: Sequence[tuple[str, str]]
    allow: Sequence[str]
    facts: Sequence[Fact]
    roadmap: str
    ticks: Sequence[Tick]
    judgments: Sequence[str]


def render(view: View) -> str:
    """The prompt, in a fixed order: contract, catalogue, constraints, facts, then what happened so far."""
    parts = [
        _part("Goal", [view.goal, *([f"Hint: {view.hint}"] if view.hint else [])]),
        _part("Goal checks", [_check(check) for check in view.checks]),
        _part("Capabilities", [f"- {name}: {text}" for name, text in view.catalogue.capabilities.items()]),
        _part("Check kinds", [f"- {name}: {text}" for name, text in view.catalogue.kinds.items()]),
        _part("Budget used", [f"- {name}: {text}" for name, text in view.budget]),
        _part("Files that may change", [f"- {glob}" for glob in view.allow]),
        _part("Facts", [_fact(fact) for fact in view.facts[-FACTS:]]),
        _part("Roadmap so far", [view.roadmap] if view.roadmap else []),
        _part("What was done", _lines(view.ticks)),
        _part("Reviews", [f"- {_cut(text)}" for text in view.judgments[-JUDGMENTS:]]),
        _part("Last output of unmet checks", [_output(check) for check in view.checks if check.status != "passed"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _part(title: str, lines: Sequence[str]) -> str:
    return f"## {title}\n" + "\n".join(lines) if lines else ""


def _check(check: CheckNow) -> str:
    said = f": {_cut(check.reason)}" if check.reason else ""
    return f"- {check.name!r} ({check.role}): {check.status}{said}"


def _fact(fact: Fact) -> str:
    kind = "measured" if fact.measured else "claimed"
    return f"- [{kind}, {fact.trigger}, tick {fact.tick}, from {fact.source}] {data(_cut(fact.text))}"


def _lines(ticks: Sequence[Tick]) -> list[str]:
    """One line a tick; all but the latest are folded into counts by capability and status."""
    older, latest = ticks[:-TICKS], ticks[-TICKS:]
    counts: dict[tuple[str, str], int] = {}
    for tick in older:
        counts[tick.capability, tick.status] = counts.get((tick.capability, tick.status), 0) + 1
    folded = [f"- earlier: {n} × {capability} {status}" for (capability, status), n in sorted(counts.items())]
    return folded + [_tick(tick) for tick in latest]


def _tick(tick: Tick) -> str:
    said = f"- {tick.number}. {tick.task} ({tick.capability}): {tick.status} {_cut(tick.reason)}".rstrip()
    return f"{said} [{data(_cut(tick.suspect))}]" if tick.suspect else said


def _output(check: CheckNow) -> str:
    return f"### {check.name}\n{data(check.output[-3000:])}" if check.output else f"### {check.name}\n(no output)"


def data(text: str) -> str:
    """`text` marked as material: an end mark inside it is broken up."""
    return f"<data>{text.replace('</data>', '</ data>')}</data>"


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else text[:TEXT] + "…"
