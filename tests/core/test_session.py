"""Every strategy keeps the task, pinned turns and whole exchanges, and stays within its bounds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.chat import Message, ToolCall
from agentloop.core.session import LATEST, Exchange, Session, shown, size, split

TASK = Message(role="user", text="# the task")


def exchange(number: int, results: int = 1, pinned: bool = False, long: int = 0) -> list[Message]:
    calls = tuple(ToolCall(id=f"c{number}-{n}", name="read", arguments="{}") for n in range(results))
    said = [Message(role="assistant", text=f"turn {number}", calls=calls)]
    answers = [
        Message(role="tool", call_id=call.id, text=f"result {number}" + "x" * long, pinned=pinned) for call in calls
    ]
    return said + (answers or [Message(role="user", text=f"go on {number}")])


def talk(count: int, **more: int) -> list[Message]:
    return [TASK, *(message for n in range(count) for message in exchange(n, **more))]


def count(before: str, part: Sequence[Exchange]) -> str:
    """A summary that shows how it was made."""
    return f"({before}+{','.join(e[0].text.removeprefix('turn ') for e in part)})"


def backwards(question: str, texts: Sequence[str]) -> Sequence[int]:
    return list(range(len(texts)))[::-1]


def turns(messages: Sequence[Message]) -> list[int]:
    return [int(m.text.removeprefix("turn ")) for m in messages if m.role == "assistant"]


def pick(messages: Sequence[Message], strategy: str, limit: int = 10**9) -> tuple[Message, ...]:
    session = Session.parse(strategy)
    assert session
    return shown(messages, session, count, backwards, limit)


STRATEGIES = st.sampled_from(["full", "windowed:1", "windowed:3", "summarizing:2", "relevant:1", "semantic:3"])


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=12), STRATEGIES, st.integers(0, 400))
def test_no_strategy_cuts_an_exchange_or_loses_the_task(
    made: list[tuple[int, bool]], strategy: str, limit: int
) -> None:
    """What is shown is the opening and whole exchanges in order, pinned ones and the last one among them."""
    messages = [TASK, *(m for n, (results, pinned) in enumerate(made) for m in exchange(n, results, pinned))]
    seen = pick(messages, strategy, limit)
    assert seen[0].text.startswith("# the task")
    _, whole = split(messages)
    _, kept = split(seen)
    assert all(part in whole for part in kept)
    assert turns(seen) == sorted(turns(seen))
    assert {n for n, (results, pinned) in enumerate(made) if pinned and results} <= set(turns(seen))
    assert not made or turns(seen)[-1] == len(made) - 1
    assert pick(messages, strategy, limit) == seen


def test_full_shows_all_and_windowed_the_last() -> None:
    assert turns(pick(talk(7), "full")) == list(range(7))
    assert turns(pick(talk(7), "windowed:3")) == [4, 5, 6]


def test_summaries_are_made_step_by_step_and_stay() -> None:
    """Between two steps the beginning of the request does not change, so that it can be cached."""
    assert [turns(pick(talk(n), "summarizing:2")) for n in range(3, 8)] == [
        [0, 1, 2],
        [2, 3],
        [2, 3, 4],
        [4, 5],
        [4, 5, 6],
    ]
    assert pick(talk(6), "summarizing:2")[0].text == "# the task\n\n# What you did so far, in short\n((+0,1)+2,3)"
    assert pick(talk(6), "summarizing:2")[0] == pick(talk(7), "summarizing:2")[0]
    assert pick(talk(3), "summarizing:2")[0] == TASK


@pytest.mark.parametrize("strategy", ["relevant:2", "semantic:2"])
def test_what_is_recalled_comes_in_order_before_the_latest(strategy: str) -> None:
    assert turns(pick(talk(8), strategy)) == [4, 5, 6, 7]
    assert turns(pick(talk(LATEST + 2), strategy)) == list(range(LATEST + 2))


def test_the_window_of_the_model_is_kept() -> None:
    """The oldest go first, whatever the strategy; the last exchange is always shown."""
    messages = talk(6, long=100)
    each = sum(size(m) for m in exchange(0, long=100))
    assert turns(pick(messages, "full", size(TASK) + 3 * each)) == [3, 4, 5]
    assert turns(pick(messages, "full", 1)) == [5]


@pytest.mark.parametrize(
    "text", ["", "full:2", "windowed", "windowed:0", "windowed:-1", "windowed:1000", "best:3", "windowed: 3"]
)
def test_what_is_no_strategy(text: str) -> None:
    assert Session.parse(text) is None
