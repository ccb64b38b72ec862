"""The loop: it believes only recorded verdicts, and every other end is loud."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop import loop
from agentloop.core.check import CheckSpec
from agentloop.core.fold import Folded
from agentloop.core.records import Limits
from agentloop.core.task import Artifact, Assumption
from agentloop.errors import BudgetExhausted, NoProgress, NoViablePlan, Stopped
from agentloop.loop import run
from agentloop.state import State
from tests.fakes import FakePlanner, FakeWorker
from tests.world import World, done, plan, task, world


def go(w: World, limits: Limits | None = None) -> State:
    return run(w.goal, limits or w.state.folded.limits, w.state, w)


def test_a_change_that_passes_ends_the_run() -> None:
    """One plan, one task, one accepted change: the goal's check passes on the new candidate."""
    w = world()
    w.planner, w.worker = FakePlanner(plan(task("fix", "a"))), FakeWorker(done(w, {"a": "good"}))
    state = go(w)
    assert loop.goal_satisfied(state)
    assert state.folded.candidate == w.tree({"a": "good"})
    assert w.log.kinds() == ["began", "prepared", "checked", "planned", "verified", "checked"]


def test_a_satisfied_goal_asks_nobody() -> None:
    """Where the checks already pass, no planner and no worker is asked."""
    w = world(base={"a": "good"})
    go(w)
    assert "planned" not in w.log.kinds()


def test_saying_done_is_not_done() -> None:
    """A claim of `done` without passed checks is recorded as failed and the candidate stays as it was."""
    w = world()
    w.planner, w.worker = FakePlanner(plan(task("talk", "a"))), FakeWorker(Artifact(claim="done", note="all pass"))
    with pytest.raises(NoViablePlan, match="nothing left to try") as stop:
        go(w)
    assert w.state.folded.candidate == w.tree({"a": "bad"})
    assert stop.value.summary.ticks == ("1. talk (code): failed a: a is bad",)
    assert stop.value.summary.checks == (("accept a", "failed", "a is bad"),)


def test_a_failed_change_is_kept_in_the_log_and_never_in_the_tree() -> None:
    """The next executor starts from the candidate, not from what failed before it."""
    w = world(accept=("a", "b"))
    seen = []

    def second(given_task: object, context: object) -> Artifact:
        seen.append(context.tree)  # type: ignore[attr-defined]
        return done(w, {"a": "good", "b": "good"})

    w.planner = FakePlanner(plan(task("one", "a")), plan(task("two", "a", "b")))
    w.worker = FakeWorker(done(w, {"a": "worse", "b": "bad"}), second)
    go(w)
    assert seen == [w.tree({"a": "bad", "b": "bad"})]


def test_a_guard_that_turns_red_refuses_the_change() -> None:
    """Fixing one thing by breaking another is not accepted."""
    w = world(accept=("a",), guard=("g",))
    w.planner, w.worker = FakePlanner(plan(task("fix", "a"))), FakeWorker(done(w, {"a": "good", "g": "broken"}))
    with pytest.raises(NoViablePlan):
        go(w)
    assert w.state.folded.last is not None
    assert w.state.folded.last.ruling.reason == "g: g is bad"


def test_a_won_check_stays_won_unless_the_plan_names_it() -> None:
    """Progress is monotonic: only `may_break` lets a task turn a won accept check red."""
    w = world(accept=("a", "b"))
    swap = {"a": "bad", "b": "good"}
    w.planner = FakePlanner(plan(task("one", "a")), plan(task("swap", "b")), plan(task("swap2", "b", may_break=("a",))))
    w.worker = FakeWorker(done(w, {"a": "good", "b": "bad"}), done(w, swap), done(w, swap))
    with pytest.raises(NoViablePlan):
        go(w)
    assert [tick.status for tick in w.state.folded.ticks] == ["passed", "failed", "passed"]


def test_dependents_of_a_failed_task_are_skipped_unrun() -> None:
    """A task whose need did not pass costs nothing, and the fact says why."""
    w = world(accept=("a",))
    w.planner = FakePlanner(plan(task("look", "a"), task("use", "a", needs=("look",))))
    w.worker = FakeWorker(Artifact(claim="abort", note="no"))
    with pytest.raises(NoViablePlan):
        go(w)
    assert [tick.status for tick in w.state.folded.ticks] == ["failed", "skipped"]
    assert any("needs look, which did not pass" in fact.text for fact in w.state.folded.facts)


def test_tasks_resting_on_a_broken_assumption_are_skipped() -> None:
    """An executor that reports an assumption broken takes the tasks that rest on it with it."""
    w = world(accept=("a", "b"))
    plans = plan(
        task("one", "a"), task("two", "b", assumes=("real",)), assumptions=(Assumption(id="real", text="it is real"),)
    )
    w.planner, w.worker = FakePlanner(plans), FakeWorker(Artifact(claim="replan", broken=("real",)))
    with pytest.raises(NoViablePlan):
        go(w)
    assert [tick.status for tick in w.state.folded.ticks] == ["failed", "skipped"]


def test_a_task_is_stale_when_others_changed_what_it_reads() -> None:
    """A plan for last Tuesday is not carried out: what a task reads must be as it was at plan time."""
    w = world(accept=("a", "b"))
    w.planner = FakePlanner(plan(task("one", "a"), task("two", "b", reads=("a",))), plan(task("three", "b")))
    w.worker = FakeWorker(done(w, {"a": "good", "b": "bad"}), done(w, {"a": "good", "b": "good"}))
    go(w)
    assert [tick.status for tick in w.state.folded.ticks] == ["passed", "skipped", "passed"]


def test_ticks_end_the_run_before_the_next_task() -> None:
    """With every tick used no further plan is asked for."""
    w = world(limits=Limits(ticks=1))
    w.planner, w.worker = FakePlanner(plan(task("x", "a")), plan(task("y", "a"))), FakeWorker(Artifact(claim="done"))
    with pytest.raises(BudgetExhausted, match="ticks: 1 of 1 are used"):
        go(w)
    assert len(w.planner.script) == 1


def test_no_new_state_for_so_many_ticks_is_no_progress() -> None:
    """The same failure in other words does not count as movement."""
    w = world(stall=3, limits=Limits(ticks=20, replans=9))
    w.planner = FakePlanner(*(plan(task(f"t{n}", "a", directive=f"try way {chr(97 + n)}")) for n in range(9)))
    w.worker = FakeWorker(*[Artifact(claim="done", note=str(n)) for n in range(9)])
    with pytest.raises(NoProgress, match="did not change in the last 3 ticks"):
        go(w)
    assert w.state.folded.executed == 4  # the first failure is news, the next three are not


def test_plans_that_change_and_find_nothing_run_out() -> None:
    """`replans` plans in a row without an accepted change or a new measured fact end the run."""
    w = world(stall=50, limits=Limits(ticks=50, replans=2))
    w.planner = FakePlanner(*(plan(task(f"t{n}", "a")) for n in range(9)))
    w.worker = FakeWorker(*[Artifact(claim="done")] * 9)
    with pytest.raises(NoViablePlan, match="2 plans in a row changed and found nothing"):
        go(w)


def test_known_verdicts_are_not_computed_again() -> None:
    """A check is taken once per tree, however often it is asked for."""
    w = world(accept=("a",), guard=("g",))
    w.planner, w.worker = FakePlanner(plan(task("fix", "a"))), FakeWorker(done(w, {"a": "good", "g": "good"}))
    go(w)
    assert len(w.check.taken) == 4  # two checks on two trees


def test_tampering_is_a_verdict_of_its_own() -> None:
    """A change to a protected file is refused as tampering, by name, and the run goes on."""
    w = world()
    w.planner = FakePlanner(plan(task("cheat", "a")))
    w.worker = FakeWorker(done(w, {"a": "good", "conftest.py": "x"}))
    with pytest.raises(NoViablePlan):
        go(w)
    assert w.state.folded.last is not None
    assert w.state.folded.last.ruling.status == "tamper"
    assert "conftest.py" in w.state.folded.last.ruling.reason


def test_the_loop_stays_small_and_pure() -> None:
    """Under 80 lines, with no `try`, no I/O and no model in it: retry and routing live nowhere else either."""
    text = Path(loop.__file__).read_text()
    assert len(text.splitlines()) < 80
    assert not any(word in text for word in ("try:", "except", "open(", "import os", "Model"))


OUTCOMES = st.lists(st.sampled_from(["good", "bad", "abort", "tamper", "other"]), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(OUTCOMES, st.integers(1, 6))
def test_no_artifact_makes_a_run_end_well_but_a_passing_one(outcomes: list[str], ticks: int) -> None:
    """Whatever workers hand in, the run is satisfied exactly where a good tree was among what ran, and a log
    folded again gives the same state."""
    w = world(limits=Limits(ticks=ticks, replans=9), stall=9)
    made = {
        "good": done(w, {"a": "good"}),
        "bad": done(w, {"a": "worse"}),
        "abort": Artifact(claim="abort"),
        "tamper": done(w, {"a": "good", "conftest.py": ""}),
        "other": Artifact(claim="replan", note="done, all green"),
    }
    w.planner = FakePlanner(*(plan(task(f"t{n}", "a")) for n in range(len(outcomes))))
    w.worker = FakeWorker(*(made[name] for name in outcomes))
    try:
        go(w)
        won = True
    except Stopped:
        won = False
    assert won == ("good" in outcomes[: w.state.folded.executed])
    again = Folded()
    for stamped in w.log:
        again.apply(stamped.at, stamped.event)
    assert again == w.state.folded


def test_check_specs_are_named_by_what_they_check() -> None:
    """Renaming a check does not make it another one; changing its parameters does."""
    one = CheckSpec(kind="fake", params="a", name="x")
    assert one.key == CheckSpec(kind="fake", params="a", name="y").key
    assert one.key != CheckSpec(kind="fake", params="b", name="x").key
