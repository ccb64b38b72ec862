"""The budget is folded from the log and can't be overrun."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core import events as e
from agentloop.core.purse import LEAST_OUTPUT, Purse
from agentloop.core.records import Limits
from agentloop.core.usage import FREE, Price, Usage

REQUESTS = [f"{n:064x}" for n in range(8)]


def asked(request: str, nano: int, tokens: int) -> e.Asked:
    return e.Asked(role="planner", model="m", request=request, nano=nano, tokens=tokens)


@given(
    st.integers(0, 4_000), st.integers(-2, 2), st.integers(0, 3_000), st.integers(1, 3_000),
    st.floats(0, 9), st.floats(0.001, 9),
)  # fmt: skip
def test_an_answer_is_as_long_as_what_is_left_allows(
    paid: int, more: int, bound: int, wanted: int, price: float, out: float
) -> None:
    """What is allowed fits, one token more does not, and what is refused would not have fitted. What is left is about
    the price of `paid` tokens of answer."""
    left = max(0, Price(input=price, output=out).worst(bound, paid) + more)
    table, limits = Price(input=price, output=out), Limits(nano=left)
    found = Purse().allowance(limits, table, bound, wanted, now=0)
    if isinstance(found, int):
        assert table.worst(bound, found) <= left
        assert min(wanted, LEAST_OUTPUT) <= found <= wanted
        assert found == wanted or table.worst(bound, found + 1) > left
    else:
        assert table.worst(bound, min(wanted, LEAST_OUTPUT)) > left


def test_a_call_that_does_not_fit_is_named_with_what_is_left() -> None:
    """The refusal says which limit, what the call may cost and what is left; a token less of input, and it fits."""
    purse, table = Purse(), Price(input=1000, output=1000)
    purse.apply(0, asked(REQUESTS[0], 600_000_000, 10))
    assert purse.allowance(Limits(nano=1_000_000_000), table, 300, 200, now=0) == (
        "usd: the next call may cost $0.5000, $0.4000 is left"
    )
    assert purse.allowance(Limits(nano=1_000_000_000), table, 200, 200, now=0) == 200
    assert purse.allowance(Limits(tokens=25), FREE, 6, 10, now=0) == "tokens: the next call may use 16, 15 are left"
    assert purse.allowance(Limits(tokens=26), FREE, 6, 10, now=0) == 10
    assert purse.allowance(Limits(tokens=5_010), FREE, 3_000, 4_000, now=0) == 2_000
    assert purse.allowance(Limits(milliseconds=0), FREE, 1, 1, now=0) == "minutes: 0 are over"


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
