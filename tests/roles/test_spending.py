"""No budget can be overrun by even one call, whatever the calls become, in order or from eight threads at once."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock

from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.core.chat import Message, Reply, Request
from agentloop.core.purse import Purse
from agentloop.core.records import Limits
from agentloop.core.usage import NANO, Price, Usage
from agentloop.errors import AgentloopError
from agentloop.ports import ModelError, Pulse, unwatched
from agentloop.roles.teller import Teller
from agentloop.state import State
from tests.world import world

THREADS = 8


class Shop:
    """A model that bills at most what a call may cost, answers or fails as its dice say, and keeps its own books."""

    name = "fake:shop"

    def __init__(self, seed: int, price: Price) -> None:
        self.dice = random.Random(seed)
        self.price: Price | None = price
        self.billed, self.tokens = 0, 0
        self.lock = Lock()

    def bound(self, request: Request) -> int:
        return len(request.messages[0].text)

    def count(self, request: Request) -> int | None:
        with self.lock:
            return self.dice.choice([None, max(1, self.bound(request) // 2)])

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        with self.lock:
            fate, share = self.dice.choice(["reply", "reply", "lost", "refused"]), self.dice.random()
            usage = self._usage(request, share)
            if fate == "refused":
                raise ModelError("busy", retryable=True)
            assert self.price
            self.billed += self.price.cost(usage)
            self.tokens += usage.tokens
        if fate == "lost":
            raise ModelError("cut", retryable=True, billed=True)
        return Reply(text="ok", stop="end", usage=usage)

    def _usage(self, request: Request, share: float) -> Usage:
        """What it used: never more than half of the bound, which is what a count may be."""
        whole = int(max(1, self.bound(request) // 2) * share)
        parts = sorted((self.dice.randint(0, whole), self.dice.randint(0, whole)))
        split = {"uncached": parts[0], "cached": parts[1] - parts[0], "written": whole - parts[1]}
        return Usage(**split, output=int(request.max_output * self.dice.random()))


def _yielding() -> int:
    """A clock that lets other threads in: also between a look at the purse and the record of what is taken from it."""
    time.sleep(0)
    return 1_000_000


def _once(call):  # type: ignore[no-untyped-def]
    return call()


RUNS = st.tuples(
    st.integers(0, 2**31),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(16, 4_000)), min_size=1, max_size=16),
    st.integers(0, 40_000_000),
    st.integers(0, 30_000),
    st.floats(0, 20),
    st.floats(0, 60),
)


class Books:
    """Checks after every record that neither limit is passed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        w = world(limits=limits)
        w.log.clock = _yielding
        self.state = State(w.log, _yielding, lambda stamped: self.check())
        self.check()

    def check(self) -> None:
        purse: Purse = self.state.folded.purse
        assert purse.nano + purse.reserved_nano <= (self.limits.nano or 0)
        assert purse.tokens + purse.reserved_tokens <= (self.limits.tokens or 0)
        assert purse.reserved_nano >= 0
        assert purse.reserved_tokens >= 0


def _run(run, threads: int) -> None:  # type: ignore[no-untyped-def]
    seed, calls, nano, tokens, into, out = run
    price = Price(input=into, output=out, cached=into / 10, written=into * 1.25)
    books, shop = Books(Limits(nano=nano, tokens=tokens)), Shop(seed, price)
    teller = Teller(books.state, "executor", (shop,), _once)

    def ask(number: int) -> None:
        size, output = calls[number]
        message = Message(role="user", text=f"{number}".ljust(size + 2, "x"))
        with suppress(AgentloopError):
            teller.ask(Request(system="", messages=(message,), max_output=output))

    if threads == 1:
        for number in range(len(calls)):
            ask(number)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(ask, range(len(calls))))
    books.check()
    purse = books.state.folded.purse
    assert shop.billed <= purse.nano + purse.reserved_nano <= nano
    assert shop.tokens <= purse.tokens + purse.reserved_tokens <= tokens
    assert purse.reserved_nano == 0, "what was answered or lost is settled"


@settings(max_examples=1_000, deadline=None)
@given(RUNS)
def test_a_thousand_runs_one_call_after_another(run) -> None:  # type: ignore[no-untyped-def]
    """Reserved and spent together stay within both limits after every record, and cover what was truly billed."""
    _run(run, 1)


@settings(max_examples=1_000, deadline=None)
@given(RUNS)
def test_a_thousand_runs_with_eight_threads(run) -> None:  # type: ignore[no-untyped-def]
    """Two workers can't both spend the last cent."""
    _run(run, THREADS)


def test_the_last_cent_is_spent_once() -> None:
    """Eight calls at once that each need all of it: one leaves."""
    price = Price(input=0.0, output=1000.0)
    limits = Limits(nano=NANO // 10, tokens=10**9)
    books, shop = Books(limits), Shop(3, price)
    teller = Teller(books.state, "executor", (shop,), _once)

    def ask(number: int) -> str:
        try:
            teller.ask(Request(system=str(number), messages=(Message(role="user", text="x"),), max_output=100))
        except AgentloopError as error:
            return type(error).__name__
        return "answered"

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(ask, range(THREADS)))
    assert found.count("BudgetExhausted") >= 1
    assert books.state.folded.purse.nano <= NANO // 10
