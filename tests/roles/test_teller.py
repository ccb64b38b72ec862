"""Every model call is reserved before it leaves and recorded before it is used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request
from agentloop.core.records import Limits
from agentloop.core.usage import Price, Usage
from agentloop.errors import BudgetExhausted, ProviderFailed
from agentloop.ports import ModelError
from agentloop.roles.teller import Teller
from agentloop.state import State
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
