"""The budget is folded from the log and can't be overrun."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core import events as e
from agentloop.core.purse import Purse
from agentloop.core.records import Limits
from agentloop.core.usage import FREE, Price, Usage

REQUESTS = [f"{n:064x}" for n in range(8)]


def asked(request: str, nano: int, tokens: int) -> e.Asked:
    return e.Asked(role="planner", model="m", request=request, nano=nano, tokens=tokens)


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900), st.sampled_from(["reply", "lost", "crash"]))))
def test_spending_never_passes_the_limit(steps: list[tuple[int, int, str]]) -> None:
    """Whatever calls are made, answered, lost or cut off by a crash: spent plus reserved stays within the limit."""
    limits, purse = Limits(nano=3_000), Purse()
    for number, (worst, share, fate) in enumerate(steps):
        if purse.refusal(limits, worst, 0, now=0):
            continue
        request = REQUESTS[number % 8]
        purse.apply(0, asked(request, worst, 0))
        true = min(worst, share)
        if fate == "reply":
            reply = e.Replied(
                role="planner", model="m", request=request, reply="", usage=Usage(), nano=true, stop="end"
            )
            purse.apply(0, reply)
        elif fate == "lost":
            lost = e.Unanswered(role="planner", model="m", request=request, reason="x", nano=worst, tokens=0)
            purse.apply(0, lost)
        else:
            purse.apply(0, e.Resumed(agentloop="1", level="none"))
        assert purse.nano + purse.reserved_nano <= 3_000


def test_a_call_that_does_not_fit_is_named_with_what_is_left() -> None:
    """The refusal says which limit, what the call may cost and what is left."""
    purse = Purse()
    purse.apply(0, asked(REQUESTS[0], 600_000_000, 10))
    why = purse.refusal(Limits(nano=1_000_000_000), 500_000_000, 10, now=0)
    assert why == "usd: the next call may cost $0.5000, $0.4000 is left"
    assert purse.refusal(Limits(tokens=25), 0, 16, now=0) == "tokens: the next call may use 16, 15 are left"
    assert purse.refusal(Limits(tokens=26), 0, 16, now=0) is None


def test_time_counts_only_while_a_process_works() -> None:
    """A pause between two sessions does not use up minutes."""
    purse = Purse()
    began = e.Resumed(agentloop="1", level="none")
    purse.apply(1_000, began)
    purse.apply(61_000, asked(REQUESTS[0], 0, 0))
    purse.apply(900_000, began)
    assert purse.elapsed(930_000) == 90_000
    assert purse.spent(Limits(milliseconds=90_000), 930_000) == "minutes: 1.5 are over"


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.floats(0, 100), st.floats(0, 100))
def test_the_worst_case_covers_every_true_cost(tokens: int, output: int, price: float, out: float) -> None:
    """However a reply's input splits into plain, cached and written, it never costs more than was reserved."""
    table = Price(input=price, output=out, cached=price / 10, written=price * 1.25)
    worst = table.worst(tokens, output)
    for usage in (Usage(uncached=tokens), Usage(cached=tokens), Usage(written=tokens)):
        true = usage.model_copy(update={"output": output})
        assert table.cost(true) <= worst
    assert FREE.worst(tokens, output) == 0


def test_money_is_rounded_up() -> None:
    """A third of a nano-dollar is one."""
    assert Price(input=0.0003, output=0).cost(Usage(uncached=1)) == 1
