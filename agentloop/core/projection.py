"""What a planner is shown: a bounded, ordered projection of the state. Never a transcript."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agentloop.core.plan_rules import Catalogue
from agentloop.core.records import Tick
from agentloop.core.task import FROM_PEOPLE, Fact

T = TypeVar("T")

TOKENS = {"planner": 12_000, "executor": 8_000}
"""About so many tokens at most of what a role is shown beside the goal's own words (and, for planners, the catalogue):
at three bytes to a token, which is less than English and code have."""

ROOM = {role: 3 * tokens for role, tokens in TOKENS.items()}
"""The same in bytes."""

FACTS, TICKS, STEP, JUDGMENTS = 40, 20, 10, 5
"""Facts, tick lines and judgments that are shown as they are. Older ones are folded together, STEP at a time: between
two foldings a prompt only grows at its end, so that services find its beginning in their cache."""

TEXT = 600
"""Bytes of one fact."""

LINE, ASIDE, ROADMAP = 160, 80, 3_000
"""Bytes of what one line says of a tick, a check or a judgment, of what it adds in brackets, and of the roadmap."""


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
    """Everything that may enter the planner's prompt. `budget` says what is left, `approvals` what needs a yes."""

    goal: str
    checks: Sequence[CheckNow]
    catalogue: Catalogue
    budget: Sequence[tuple[str, str]]
    allow: Sequence[str]
    facts: Sequence[Fact]
    roadmap: str
    ticks: Sequence[Tick]
    judgments: Sequence[str]
    approvals: Sequence[str] = ()


def render(view: View) -> str:
    """The prompt, in a fixed order: contract, catalogue, constraints, facts, then what happened so far."""
    room, catalogue = ROOM["planner"], view.catalogue
    parts = [
        _part("Goal", [view.goal]),
        _part("Goal checks", [_check(check) for check in view.checks]),
        _part("Catalogue", [f"version {catalogue.version}: plans are made for this one"]),
        _part("Capabilities", [f"- {name}: {text}" for name, text in catalogue.capabilities.items()]),
        _part("Tools of the workers", [f"- {name}{text}" for name, text in catalogue.tools.items()]),
        _part("Check kinds", [f"- {name}: {text}" for name, text in catalogue.kinds.items()]),
        _part("Budget left", [f"- {name}: {text}" for name, text in view.budget]),
        _part("Files that may change", [f"- {glob}" for glob in view.allow]),
        _part("Side effects that need a person's yes", [f"- {name}" for name in view.approvals]),
        _part("Facts", fitting(view.facts, room * 3 // 10)),
        _part("Roadmap so far", [data(_cut(view.roadmap, ROADMAP))] if view.roadmap else []),
        _part("What was done", _lines(view.ticks)),
        _part("Reviews", [f"- {data(_cut(text, LINE))}" for text in view.judgments[-JUDGMENTS:]]),
        _part("Last output of unmet checks", _outputs(view.checks, room * 2 // 10)),
    ]
    return "\n\n".join(part for part in parts if part)


def fitting(facts: Sequence[Fact], room: int) -> list[str]:
    """`facts` as lines of about `room` bytes: what people said and what stands against a plan always, of the others the
    latest; older ones as counts by trigger."""
    lasting = [n for n, fact in enumerate(facts) if fact.trigger in FROM_PEOPLE or fact.trigger == "unavailable"]
    lasting = lasting[-FACTS:]
    others = [n for n in range(len(facts)) if n not in set(lasting)]
    others = list(latest(others, FACTS))
    while (lasting or others) and sum(len(_fact(facts[n]).encode()) for n in (*lasting, *others)) > room:
        if others:
            others = others[STEP:]
        else:
            lasting = lasting[1:]
    shown = {*lasting, *others}
    folded = (fact for n, fact in enumerate(facts) if n not in shown)
    counts = Counter(f"{'measured' if fact.measured else 'claimed'}, {fact.trigger}" for fact in folded)
    lines = [f"- earlier: {n} × [{kind}]" for kind, n in sorted(counts.items())]
    return lines + [_fact(facts[n]) for n in sorted(shown)]


def within(items: Sequence[T], text: Callable[[T], str], room: int) -> list[T]:
    """The last of `items` whose `text` takes about `room` bytes together, the beginning moving on STEP at a time."""
    kept = list(latest(items, FACTS))
    while kept and sum(len(text(item).encode()) for item in kept) > room:
        kept = kept[min(STEP, max(1, len(kept) // 2)) :]
    return kept


def latest(items: Sequence[T], most: int) -> Sequence[T]:
    """The last of `items`, at most `most`; the beginning moves on STEP at a time."""
    over = max(0, len(items) - most)
    return items[-(-over // STEP) * STEP :]


def _part(title: str, lines: Sequence[str]) -> str:
    return f"## {title}\n" + "\n".join(lines) if lines else ""


def _check(check: CheckNow) -> str:
    said = f": {_cut(check.reason, LINE)}" if check.reason else ""
    return f"- {check.name!r} ({check.role}): {check.status}{said}"


def _fact(fact: Fact) -> str:
    kind = "measured" if fact.measured else "claimed"
    return f"- {fact.id} [{kind}, {fact.trigger}, tick {fact.tick}, from {fact.source}] {data(_cut(fact.text, TEXT))}"


def _lines(ticks: Sequence[Tick]) -> list[str]:
    """One line a tick; all but the latest are folded into counts by capability and status."""
    newest = latest(ticks, TICKS)
    counts = Counter((tick.capability, tick.status) for tick in ticks[: len(ticks) - len(newest)])
    folded = [f"- earlier: {n} × {capability} {status}" for (capability, status), n in sorted(counts.items())]
    return folded + [_tick(tick) for tick in newest]


def _tick(tick: Tick) -> str:
    said = f"- {tick.number}. {tick.task} ({tick.capability}): {tick.status} {_cut(tick.reason, LINE)}".rstrip()
    return f"{said} [{data(_cut(tick.suspect, ASIDE))}]" if tick.suspect else said


def _outputs(checks: Sequence[CheckNow], room: int) -> list[str]:
    unmet = [check for check in checks if check.status != "passed"]
    share = min(3_000, room // max(1, len(unmet)))
    return [f"### {c.name}\n{data(_end_of(c.output, share)) if c.output else '(no output)'}" for c in unmet]


def data(text: str) -> str:
    """`text` marked as material: an end mark inside it is broken up."""
    return f"<data>{text.replace('</data>', '</ data>')}</data>"


def _cut(text: str, most: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore") + "…"


def _end_of(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[-most:].decode("utf-8", "ignore")
