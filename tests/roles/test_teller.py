"""Every model call is reserved before it leaves and recorded before it is used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request
from agentloop.core.records import Limits
from agentloop.core.secrets import Secrets
from agentloop.core.usage import Price, Usage
from agentloop.errors import BudgetExhausted, ProviderFailed
from agentloop.ports import ModelError
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.view.files import markdown
from tests.fakes import FakeLog, FakeModel
from tests.world import World, world

ASK = Request(system="s", messages=(Message(role="user", text="hello"),), max_output=100)
PRICE = Price(input=1.0, output=10.0)
REPLY = Reply(text="hi", stop="end", usage=Usage(uncached=10, output=5), model="m")


def once(call: Callable[[], Reply]) -> Reply:
    """No second try."""
    return call()


def thrice(call: Callable[[], Reply]) -> Reply:
    """Two more tries of what is worth retrying."""
    for _ in range(2):
        try:
            return call()
        except ModelError as error:
            if not error.retryable:
                raise
    return call()


def teller(w: World, *models: FakeModel, retry: Callable[[Callable[[], Reply]], Reply] = once) -> Teller:
    return Teller(w.state, "planner", models, retry)


def test_a_call_is_recorded_before_and_after() -> None:
    """The worst case is written down before the request leaves, the true cost when the reply is here."""
    w = world(limits=Limits(nano=10**9))
    model = FakeModel(lambda request: _seen(w, request), price=PRICE)
    assert teller(w, model).ask(ASK).text == "hi"
    assert w.log.kinds()[-2:] == ["asked", "replied"]
    assert w.state.folded.purse.nano == 10 * 1000 + 5 * 10_000
    assert w.state.folded.purse.reserved_nano == 0


def _seen(w: World, request: Request) -> Reply:
    asked = w.log.records[-1].event
    assert isinstance(asked, e.Asked)
    assert asked.nano == w.state.folded.purse.reserved_nano > 0
    return REPLY


def test_a_call_that_does_not_fit_never_leaves() -> None:
    """With too little left the model is not asked at all, and the end names the numbers."""
    w = world(limits=Limits(nano=1000))
    model = FakeModel(REPLY, price=PRICE)
    with pytest.raises(BudgetExhausted, match=r"usd: the next call may cost \$0\.\d+, \$0\.0000 is left"):
        teller(w, model).ask(ASK)
    assert model.asked == []
    assert "asked" not in w.log.kinds()


def test_every_failed_attempt_is_recorded_with_its_reason() -> None:
    """A retried call shows each attempt; one that the service may have counted stays paid at its worst."""
    w = world()
    broken = ModelError("stream cut", retryable=True, billed=True)
    model = FakeModel(broken, ModelError("busy", retryable=True), REPLY, price=PRICE)
    teller(w, model, retry=thrice).ask(ASK)
    lost = [s.event for s in w.log if isinstance(s.event, e.Unanswered)]
    assert [(event.reason, event.nano > 0) for event in lost] == [("stream cut", True), ("busy", False)]
    assert w.state.folded.purse.nano == lost[0].nano + 60_000


def test_the_next_model_is_used_when_one_fails() -> None:
    """Fallbacks are used in order, and only when all failed the run ends with every reason."""
    w = world()
    down = FakeModel(ModelError("no route", retryable=False), ModelError("no route", retryable=False))
    assert teller(w, down, FakeModel(REPLY)).ask(ASK).text == "hi"
    other = ASK.model_copy(update={"system": "other"})
    with pytest.raises(ProviderFailed, match="planner: fake:model: no route; fake:model: gone"):
        teller(w, down, FakeModel(ModelError("gone", retryable=False))).ask(other)


def test_a_recorded_reply_is_not_bought_again() -> None:
    """A resumed step that asks the same question is answered from the log."""
    w = world()
    teller(w, FakeModel(REPLY)).ask(ASK)
    resumed = _reopened(w)
    silent = FakeModel()
    assert Teller(resumed, "planner", (silent,), once).ask(ASK) == REPLY
    assert silent.asked == []


def test_what_was_in_flight_at_a_crash_is_asked_again_and_both_are_counted() -> None:
    """Intent without result: the first call may have been billed, so its worst case stays spent."""
    w = world(limits=Limits(nano=10**9))
    with pytest.raises(KeyboardInterrupt):
        teller(w, FakeModel(KeyboardInterrupt(), price=PRICE)).ask(ASK)  # type: ignore[arg-type]
    first = w.state.folded.purse.nano
    assert first > 0
    state = _reopened(w)
    state.record(e.Resumed(agentloop="test", level="none"))
    assert Teller(state, "planner", (FakeModel(REPLY, price=PRICE),), once).ask(ASK) == REPLY
    assert state.folded.purse.nano == first + 60_000


def test_a_reply_of_another_role_is_not_taken() -> None:
    """The same words asked by another role are another call."""
    w = world()
    teller(w, FakeModel(REPLY)).ask(ASK)
    model = FakeModel(REPLY)
    Teller(w.state, "reviewer", (model,), once).ask(ASK)
    assert len(model.asked) == 1


def _reopened(w: World) -> State:
    log: FakeLog = w.log
    return State(log, w.clock)


def test_the_answer_is_made_shorter_where_that_still_makes_sense() -> None:
    """What is left pays for 2,000 tokens of answer: so many are asked for, and the record says so."""
    w = world(limits=Limits(nano=0))
    model = FakeModel(REPLY, price=PRICE)
    long = ASK.model_copy(update={"max_output": 8_000})
    w.state.record(e.Extended(limits=Limits(nano=PRICE.worst(model.bound(long), 2_000))))
    assert teller(w, model).ask(long).text == "hi"
    assert model.asked[0].max_output == 2_000
    asked = w.log.records[-2].event
    assert isinstance(asked, e.Asked)
    assert (asked.lowered, asked.max_output) == (True, 2_000)


def test_an_answer_of_a_few_tokens_makes_no_sense() -> None:
    """Just below the least useful length the call does not leave."""
    w = world(limits=Limits(nano=0))
    model = FakeModel(REPLY, price=PRICE)
    long = ASK.model_copy(update={"max_output": 8_000})
    w.state.record(e.Extended(limits=Limits(nano=PRICE.worst(model.bound(long), 1_024) - 1)))
    with pytest.raises(BudgetExhausted):
        teller(w, model).ask(long)
    assert model.asked == []


def test_the_service_counts_where_the_bound_by_bytes_is_too_coarse() -> None:
    """By bytes it does not fit, by the service's count it does; the count is what is reserved."""
    w = world(limits=Limits(nano=0))
    model = FakeModel(REPLY, price=PRICE)
    bound = model.bound(ASK)
    model.counts = bound // 4
    w.state.record(e.Extended(limits=Limits(nano=PRICE.worst(bound // 4, 100))))
    assert teller(w, model).ask(ASK).text == "hi"
    asked = w.log.records[-2].event
    assert isinstance(asked, e.Asked)
    assert asked.tokens == bound // 4 + 100


def test_what_a_service_left_out_is_recorded() -> None:
    """In the reply's own record, and once in the summary."""
    w = world()
    odd = REPLY.model_copy(update={"noticed": ("no usage was reported; its upper bound is taken",)})
    teller(w, FakeModel(odd)).ask(ASK)
    replied = w.log.records[-1].event
    assert isinstance(replied, e.Replied)
    assert replied.noticed == "no usage was reported; its upper bound is taken"
    assert "fake:model: no usage was reported" in markdown(w.state.summary(), w.state)


def test_what_a_role_and_a_task_used_is_told_apart() -> None:
    """Answers, requests that left, tokens by kind, money."""
    w = world()
    used = Usage(uncached=10, cached=20, written=5, output=7)
    model = FakeModel(ModelError("busy", retryable=True), REPLY.model_copy(update={"usage": used}), price=PRICE)
    teller(w, model, retry=thrice).ask(ASK, "t1")
    for spent in (w.state.folded.purse.roles["planner"], w.state.folded.purse.tasks["t1"]):
        assert (spent.calls, spent.attempts) == (1, 2)
        assert (spent.uncached, spent.cached, spent.written, spent.output) == (10, 20, 5, 7)
        assert spent.nano == PRICE.cost(used)


def test_a_call_that_the_minutes_cut_off_is_no_fault_of_the_service() -> None:
    """The run ends for its budget, with the limit to raise, and the call stays paid at its worst."""
    w = world(limits=Limits(milliseconds=60_000))

    def slow(request: Request) -> Reply:
        w.clock.wait(61)
        raise ModelError("no whole answer within 60 s", retryable=True, billed=True)

    with pytest.raises(BudgetExhausted, match="minutes: 1 are over"):
        teller(w, FakeModel(slow, price=PRICE)).ask(ASK)
    assert w.log.kinds()[-1] == "unanswered"


def test_a_secret_is_taken_out_of_what_is_sent_and_of_what_comes_back() -> None:
    """The model is asked without it, and what it says is used as the log holds it."""
    w = world()
    model = FakeModel(Reply(text="you said correct-horse", stop="end"))
    secrets = Secrets({"DEPLOY_TOKEN": "correct-horse"})
    made = Teller(w.state, "planner", (model,), once, secrets=secrets)
    reply = made.ask(Request(system="s", messages=(Message(role="user", text="is it correct-horse?"),), max_output=9))
    assert model.asked[0].messages[0].text == "is it [secret DEPLOY_TOKEN]?"
    assert reply.text == "you said [secret DEPLOY_TOKEN]"
