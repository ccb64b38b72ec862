"""Facts: what moves a run, what stands against plans, and how that is taken back."""

from __future__ import annotations

import pytest

from agentloop.core import events as e
from agentloop.core.facts import a_fact, lack_key
from agentloop.core.normal import first_failing
from agentloop.core.standing import used
from agentloop.core.task import Artifact, Fact
from tests.world import World, done, plan, spec, task, world


def lacking(w: World, times: int) -> None:
    for _ in range(times):
        w.state.record(e.Tried(name="jq", ran=False, reason="not found"))


def begun() -> World:
    w = world(accept=("a", "b"))
    w.state.record(w.verify_goal(w.state))
    return w


def test_a_program_stands_against_plans_from_the_second_time_on() -> None:
    """Once may be chance; both times it is one fact, measured, with its trigger."""
    w = begun()
    lacking(w, 1)
    assert w.state.folded.known.standing == frozenset()
    lacking(w, 1)
    assert w.state.folded.known.standing == {"jq"}
    (fact,) = w.state.folded.facts
    assert (fact.trigger, fact.measured, fact.tick) == ("unavailable", True, 1)
    uses = task("x", "a", directive="Use jq on a.")
    assert w.state.stale(uses) == "it uses jq, which could not be started"


@pytest.mark.parametrize(
    "back",
    [
        e.Tried(name="jq", ran=True),
        e.Noted(fact=a_fact("hint", "I have installed jq now.", "a person", 0)),
    ],
    ids=["it ran", "a hint names it"],
)
def test_a_standing_fact_is_taken_back(back: e.Event) -> None:
    """A run of the program or a person's hint that names it takes it back; it can come again."""
    w = begun()
    before = w.state.folded.state_hash
    lacking(w, 2)
    assert lack_key("jq") in w.state.folded.measured
    w.state.record(back)
    assert w.state.folded.known.standing == frozenset()
    assert w.state.folded.state_hash == before
    assert [fact.trigger for fact in w.state.folded.facts] in ([], ["hint"])
    lacking(w, 2)
    assert w.state.folded.known.standing == {"jq"}


def test_a_hint_of_something_else_takes_nothing_back() -> None:
    """The name must stand as a word: jq-next is another program."""
    w = begun()
    lacking(w, 2)
    w.state.record(e.Noted(fact=a_fact("hint", "use jq-next", "a person", 0)))
    assert w.state.folded.known.standing == {"jq"}


def test_a_program_that_comes_and_goes_is_news_once() -> None:
    """Otherwise a flapping program would keep a run alive for ever."""
    w = begun()
    lacking(w, 1)
    for number in (1, 2):
        w.state.record(w.state.keep_plan(plan(task(f"t{number}", "a", directive=f"way {'xy'[number - 1]}"))))
        w.state.record(e.Tried(name="jq", ran=True))
        lacking(w, 1)
    assert w.state.folded.idle_plans == 2


@pytest.mark.parametrize(
    ("more", "uses"),
    [
        ({"directive": "Sort a with `jq -S .`"}, True),
        ({"directive": "Run the jq filter on a"}, True),
        ({"directive": "jq . a", "capability": "command"}, True),
        ({"directive": "Mend what reads jq-like input"}, False),
        ({"directive": "Write jqx down"}, False),
    ],
)
def test_what_a_task_uses_is_read_off_commands_and_words(more: dict[str, str], uses: bool) -> None:
    """Names in backquotes, behind a verb of use, or in a command line; never as a part of another word."""
    made = task("x", "a").model_copy(update=more)
    assert used(made, ["jq"]) == (["jq"] if uses else [])
    assert used(task("y", "a", directive="make a good"), ["make"]) == []
    command = spec("a").model_copy(update={"kind": "run", "params": "jq . a"})
    checked = task("z", "a").model_copy(update={"acceptance": (command,)})
    assert used(checked, ["jq"]) == ["jq"]


def test_facts_about_the_run_are_measured_and_move_nothing() -> None:
    """A skipped task, a refused repeat, a limit and a new catalogue are no progress, whoever says so."""
    w = begun()
    before = w.state.folded.state_hash
    w.state.record(w.state.keep_plan(plan(task("one", "a", needs=("none",)))))
    w.state.record(e.Skipped(task="one", signature="s", reason="it needs none, which did not pass"))
    w.state.record(
        e.PlanRefused(reason="no", blob="", repeated=("the task was planned again",), over="2 tasks, 1 left")
    )
    w.state.record(e.Offered(version="v1"))
    w.state.record(e.Offered(version="v2", change="tool jq is gone"))
    w.state.record(e.Ended(end="BudgetExhausted", reason="ticks: 3 of 3 are used", tree=""))
    facts = w.state.folded.facts
    assert [fact.trigger for fact in facts] == ["stale", "repeated", "over budget", "catalogue changed", "over budget"]
    assert all(fact.measured for fact in facts)
    assert [fact.id for fact in facts] == ["f1", "f2", "f3", "f4", "f5"]
    assert w.state.folded.state_hash == before
    assert w.state.folded.idle_plans == 1


def test_a_plan_of_another_catalogue_is_stale_when_it_waits() -> None:
    """What a resumed run may use can have changed: its queue was planned for what is gone."""
    w = begun()
    w.state.record(e.Offered(version="v1"))
    w.state.record(w.state.keep_plan(plan(task("one", "a"), catalogue="v1")))
    assert w.state.stale(w.state.queue[0]) is None
    w.state.record(e.Offered(version="v2", change="capability code is gone"))
    assert w.state.stale(w.state.queue[0]) == "it was planned with catalogue v1; what plans may use is now v2"


def test_a_claimed_fact_does_not_hide_the_measured_one() -> None:
    """The same key, first claimed and then measured, stands twice; the other way round once."""
    w = begun()
    fact = Fact(key="k", text="t", measured=False, trigger="finding", source="x")
    for measured in (False, True, False):
        w.state.record(e.Noted(fact=fact.model_copy(update={"measured": measured})))
    assert [known.measured for known in w.state.folded.facts] == [False, True]
    assert "k" in w.state.folded.measured


def test_a_lost_check_is_told_as_a_regression() -> None:
    """Where `may_break` let a won check go, a measured fact says which and by whom."""
    w = begun()
    first, second = task("one", "a"), task("swap", "b", may_break=("a",))
    w.state.record(w.state.keep_plan(plan(first)))
    good = done(w, {"a": "good", "b": "bad"})
    w.state.record(e.Verified.of(first, good, w.verify(first, good, w.state)))
    w.state.record(w.verify_goal(w.state))
    w.state.record(w.state.keep_plan(plan(second)))
    swapped = done(w, {"a": "bad", "b": "good"})
    w.state.record(e.Verified.of(second, swapped, w.verify(second, swapped, w.state)))
    w.state.record(w.verify_goal(w.state))
    (told,) = [fact for fact in w.state.folded.facts if fact.text.startswith("regression")]
    assert (told.source, told.measured) == ("swap", True)
    assert "'a' passed before and does not now" in told.text


def test_claims_are_facts_and_marked_as_claims() -> None:
    """Findings and a wish for another plan are claimed, a limit of the worker's own is measured; none moves the run."""
    w = begun()
    one = task("one", "a")
    w.state.record(w.state.keep_plan(plan(one)))
    before = w.state.folded.state_hash
    artifact = Artifact(claim="replan", note="the file is generated", spent="10 turns were used up without a report")
    w.verify(one, artifact, w.state)
    w.verify(one, artifact, w.state)  # a resumed task is judged again
    told = [(fact.trigger, fact.measured, fact.tick) for fact in w.state.folded.facts]
    assert told == [("contradicted", False, 1), ("over budget", True, 1)]
    assert w.state.folded.state_hash == before


def test_the_first_failing_line_is_found_without_its_margin() -> None:
    """Of pytest, of a traceback, of node; nothing where nothing fails."""
    assert first_failing("collected 1\n    def test():\nE       assert 0.0 == 25\nE  more") == "assert 0.0 == 25"
    assert first_failing('  File "a.py", line 3\nValueError: no such coupon') == "ValueError: no such coupon"
    assert first_failing("ok 1 - adds\nnot ok 2 - subtracts") == "not ok 2 - subtracts"
    assert first_failing("3 passed in 0.1s") == ""
