"""What roles are shown stays bounded and in order, however long the run."""

from __future__ import annotations

import pytest

from agentloop.core import events as e
from agentloop.core.facts import a_fact
from agentloop.core.plan_rules import Catalogue
from agentloop.core.projection import ROOM, CheckNow, View, fitting, latest, render, within
from agentloop.core.records import Tick
from agentloop.core.task import Fact
from tests.world import task, world


def fact(number: int, trigger: str = "failed", size: int = 1_500) -> Fact:
    return a_fact(trigger, f"fact {number} " + "ä" * size, "t", number, key=f"k{number}").model_copy(  # type: ignore[arg-type]
        update={"id": f"f{number}"}
    )


def view(length: int) -> View:
    catalogue = Catalogue("v1", {"code": "changes files"}, {"run": "a command"}, lambda kind, params: [])
    return View(
        goal="the goal",
        checks=[CheckNow(f"c{n}", "accept", "failed", "ä" * 3_000, "ö" * 9_000) for n in range(16)],
        catalogue=catalogue,
        budget=[("ticks", "3 of 20 left")],
        allow=["**"],
        facts=[fact(n) for n in range(length)],
        roadmap="m" * 8_000,
        ticks=[Tick(n, f"t{n}", "code", "failed", "ü" * 400, "y" * 400) for n in range(length)],
        judgments=["j" * 4_000] * length,
    )


def test_the_parts_stand_in_the_contracts_order_and_nothing_else_does() -> None:
    """Contract, catalogue, constraints, facts, history: services find an unchanged beginning in their cache."""
    titles = [line[3:] for line in render(view(2)).splitlines() if line.startswith("## ")]
    assert titles == [
        "Goal", "Goal checks", "Catalogue", "Capabilities", "Check kinds", "Budget left", "Files that may change",
        "Facts", "Roadmap so far", "What was done", "Reviews", "Last output of unmet checks",
    ]  # fmt: skip


@pytest.mark.parametrize("length", [1, 30, 1_000])
def test_a_planners_prompt_is_bounded(length: int) -> None:
    """Sixteen red checks, a thousand ticks, facts at their longest: still within the role's room."""
    assert len(render(view(length)).encode()) <= ROOM["planner"]


def test_older_facts_are_counted_and_what_people_said_stays() -> None:
    """Evidence and a standing fact are the oldest, and stay whole; a thousand failures are a count and the last."""
    facts = [fact(1, "evidence", 10), fact(2, "unavailable", 10), *(fact(n, size=10) for n in range(3, 1_003))]
    lines = fitting(facts, 14_000)
    assert lines[0].startswith("- earlier: 9")
    assert lines[1].startswith("- f1 [measured, evidence")
    assert lines[2].startswith("- f2 [measured, unavailable")
    assert lines[-1].startswith("- f1002 ")
    assert len(lines) <= 43


def test_the_beginning_moves_in_steps() -> None:
    """Between two foldings nothing leaves: the next prompt is the last one and a line more."""
    starts = [latest(range(n), 20)[0] for n in range(21, 51)]
    assert starts == [10] * 10 + [20] * 10 + [30] * 10
    assert list(latest(range(5), 20)) == [0, 1, 2, 3, 4]


def test_an_executors_context_is_bounded_and_keeps_what_people_said() -> None:
    """Hundreds of measured facts are cut to the latest; the evidence stays, another task's claim is never in."""
    w = world()
    w.state.record(e.Noted(fact=fact(0, "evidence", 10)))
    for number in range(1, 200):
        w.state.record(e.Noted(fact=fact(number, size=300)))
    claim = Fact(key="c", text="claimed of a", measured=False, trigger="finding", source="x")
    w.state.record(e.Noted(fact=claim))
    context = w.state.context_for(task("t", "a", reads=("a",)), w.goal)
    texts = [known.text for known in context.facts]
    assert sum(len(text.encode()) for text in texts) <= ROOM["executor"]
    assert texts[0].startswith("fact 0 ")
    assert texts[-1].startswith("fact 199 ")
    assert claim.text not in texts


def test_one_item_too_large_for_its_room_is_left_out() -> None:
    """Cutting ends."""
    assert within(["x" * 100], str, 10) == []
