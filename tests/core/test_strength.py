"""How strong a run's checks are: what can be reached, what was reached, and what the goal asks for."""

from __future__ import annotations

import pytest

from agentloop.core.check import STRENGTHS, CheckResult, CheckSpec, HiddenSpec, Strength
from agentloop.core.goal import Goal
from agentloop.core.strength import deciding, shortfall, standing, strong_enough, strongest

RUN, PYTEST, IO = (CheckSpec(kind=kind, params="x") for kind in ("run", "pytest", "io"))
HIDDEN = HiddenSpec(kind="pytest", params="x")


def goal(*accept: CheckSpec, hidden: tuple[HiddenSpec, ...] = (), least: Strength | None = None) -> Goal:
    return Goal(goal="x", accept=accept, hidden=hidden, strength=least)


def test_all_together_are_as_strong_as_the_strongest() -> None:
    """Whoever cheats must fool each of them."""
    assert strongest(["exit-code", "hidden", "visible"]) == "hidden"
    assert strongest([]) == "exit-code"
    assert [strength for _, strength in deciding(goal(RUN, PYTEST, IO, hidden=(HIDDEN,)))] == [
        "exit-code", "visible", "out-of-process", "hidden",
    ]  # fmt: skip


@pytest.mark.parametrize("least", STRENGTHS)
@pytest.mark.parametrize(
    ("accept", "hidden", "reach"),
    [((RUN,), (), "exit-code"), ((RUN, PYTEST), (), "visible"), ((RUN,), (HIDDEN,), "hidden"),
     ((IO,), (), "out-of-process")],
)  # fmt: skip
def test_what_can_not_be_reached_is_said_before_the_start(
    accept: tuple[CheckSpec, ...], hidden: tuple[HiddenSpec, ...], reach: Strength, least: Strength
) -> None:
    """With each check and what it reaches, and the kind that would be right."""
    wanted = goal(*accept, hidden=hidden, least=least)
    told = shortfall(wanted, deciding(wanted))
    if STRENGTHS.index(least) <= STRENGTHS.index(reach):
        assert told == ""
    else:
        assert f"`strength: {least}` can't be reached" in told
        assert accept[0].label in told
        assert "right would be" in told


def test_a_pass_that_is_weaker_than_its_kind_can_be_is_none() -> None:
    """A planted test that could not be planted must not lower what the goal asks for; other kinds are left alone."""
    weak = CheckResult(check="c", key="k", status="passed", strength="exit-code")
    assert strong_enough(weak, PYTEST, "visible").status == "failed"
    assert "the goal asks for visible" in strong_enough(weak, PYTEST, "visible").reason
    assert strong_enough(weak, PYTEST, None) == weak
    assert strong_enough(weak, RUN, "visible") == weak
    assert strong_enough(weak.model_copy(update={"strength": "visible"}), PYTEST, "visible").passed


def test_the_last_word_names_tree_strength_and_what_is_weaker() -> None:
    told = standing("f" * 64, [("sums", "visible"), ("lint", "exit-code")])
    assert told == "declared checks passed on tree ffffffffffff at strength visible (weaker: 'lint' at exit-code)"
