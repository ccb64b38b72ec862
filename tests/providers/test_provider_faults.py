"""Every fault of a service, met through both SDKs, becomes one ModelError that says the right thing."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from agentloop.core.chat import Message, Request
from agentloop.ports import Model, ModelError
from tests.wire import WireReply, WireServer, error_reply, html_reply, json_reply

KEY = "test-key-0123456789"
HELLO = Request(system="", messages=(Message(role="user", text="hi"),))
AN_HOUR = {"date": "Tue, 01 Dec 2026 10:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 11:00:00 GMT"}
Build = Callable[..., Model]


def fault(model: Model) -> ModelError:
    """What asking `model` raises."""
    with pytest.raises(ModelError) as caught:
        model.ask(HELLO)
    assert KEY not in caught.value.reason
    return caught.value


STATUSES: list[tuple[WireReply, bool, float | None]] = [
    (error_reply(429), True, None),
    (error_reply(429, headers={"retry-after": "7"}), True, 7.0),
    (error_reply(429, headers={"retry-after-ms": "1500", "retry-after": "9"}), True, 1.5),
    (error_reply(429, headers=AN_HOUR), True, 3600.0),
    (error_reply(429, headers={"retry-after": "1e99"}), True, 86_400.0),
    (error_reply(429, headers={"retry-after": "-3"}), True, 0.0),
    (error_reply(429, headers={"retry-after": "soon"}), True, None),
    (error_reply(429, "Rate limit reached. Please try again in 250ms. See /account/billing."), True, 0.25),
    (error_reply(429, "You exceeded your current quota, please check your billing details"), False, None),
    (error_reply(429, "You exceeded your current quota. Please retry in 34.5s."), True, 34.5),
    (error_reply(429, code="insufficient_quota", headers={"retry-after": "1"}), False, None),
    (error_reply(429, "This request would exceed your workspace's spend limit"), False, None),
    (error_reply(503, headers={"x-should-retry": "false"}), False, None),
    (error_reply(400, headers={"x-should-retry": "true"}), True, None),
    *[(error_reply(status), True, None) for status in (408, 409, 500, 502, 503, 504, 529)],
    *[(error_reply(status), False, None) for status in (307, 400, 401, 402, 403, 404, 413, 422)],
    (html_reply(status=502), True, None),
    (json_reply([{"error": {"message": "in a list"}}], status=500), True, None),
    (WireReply(b"", 500), True, None),
]


@pytest.mark.parametrize(("answer", "retryable", "wait"), STATUSES, ids=[str(n) for n in range(len(STATUSES))])
def test_a_status_says_whether_another_try_may_help(
    either: Build, wire: WireServer, answer: WireReply, retryable: bool, wait: float | None
) -> None:
    """One request leaves (the SDK's own retries are off), and the reason begins with the status."""
    wire.push(answer)
    error = fault(either())
    assert (error.retryable, error.retry_after) == (retryable, wait)
    assert error.reason.startswith(f"HTTP {answer.status}: ")
    assert error.billed == (answer.status in (408, 502, 504))
    assert len(wire.log) == 1


UNREADABLE = {
    "a page": html_reply(),
    "nothing": WireReply(b""),
    "half": WireReply(b'{"choices": [', headers={"content-type": "application/json"}),
    "too deep": WireReply(b"[" * 200_000, headers={"content-type": "application/json"}),
    "a list": json_reply([1]),
    "an error": json_reply({"error": {"message": "upstream is gone"}}),
}


@pytest.mark.parametrize("answer", UNREADABLE.values(), ids=UNREADABLE)
def test_a_200_that_is_no_answer_is_an_error(either: Build, wire: WireServer, answer: WireReply) -> None:
    """Another try may help, and it may have been counted."""
    wire.push(answer)
    error = fault(either())
    assert (error.retryable, error.billed) == (True, True)


def test_an_error_inside_a_200_is_told_even_beside_an_answer(either: Build, wire: WireServer) -> None:
    """Some gateways report so that the service behind them broke off."""
    broken = {"error": {"message": "upstream is gone"}, "choices": [{"message": {"content": "ha"}}], "content": []}
    wire.push(json_reply(broken))
    assert "upstream is gone" in fault(either()).reason


@pytest.mark.parametrize("cut", [-1, 0, 30], ids=["before the head", "before the body", "in the body"])
def test_a_connection_that_breaks_is_worth_another_try(either: Build, reply: Any, wire: WireServer, cut: int) -> None:
    """The service may have counted the request."""
    wire.push(reply("a text that is long enough").but(cut=cut))
    error = fault(either())
    assert (error.retryable, error.billed) == (True, True)
    assert "the connection was cut" in error.reason


def test_a_refused_connection_is_worth_another_try_and_costs_nothing(either: Build) -> None:
    """Nobody listens on the port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        error = fault(either(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}"))
    assert (error.retryable, error.billed) == (True, False)
    assert "no connection" in error.reason


def test_a_server_that_trickles_is_ended_by_the_total_deadline(either: Build, reply: Any, wire: WireServer) -> None:
    """Each byte comes well within the read timeout, and the whole would take over ten seconds."""
    wire.push(reply("slow").but(trickle=0.1))
    start = time.monotonic()
    error = fault(either(timeout=0.4))
    assert 0.3 < time.monotonic() - start < 3
    assert (error.retryable, error.billed) == (True, True)
    assert error.reason == "no whole answer within 0.4 s"


def test_a_silent_server_is_ended_too(either: Build, reply: Any, wire: WireServer) -> None:
    """Nothing comes, not even a status."""
    wire.push(reply("late").but(delay=30))
    start = time.monotonic()
    error = fault(either(timeout=0.3))
    assert time.monotonic() - start < 3
    assert (error.retryable, error.billed) == (True, True)


def test_a_slow_reply_within_the_deadline_is_a_reply(either: Build, reply: Any, wire: WireServer) -> None:
    """The deadline ends nothing early."""
    wire.push(reply("late").but(delay=0.2))
    assert either(timeout=20.0).ask(HELLO).text == "late"


@pytest.mark.parametrize("before", [0, 290, 296, 1000])
@pytest.mark.parametrize("status", [401, 200, 429])
def test_no_reason_repeats_a_key(either: Build, wire: WireServer, before: int, status: int) -> None:
    """A server that echoes the key, one of another kind, or half of one: nothing of them is in the reason."""
    said = "x" * before + f" wrong key {KEY} or sk-proj-abc123*******wxyz (Authorization: Bearer abc.def)"
    wire.push(error_reply(status, said))
    reason = fault(either()).reason
    assert not any(part in reason for part in (KEY, KEY[:8], "sk-proj", "wxyz", "abc.def"))
    assert len(reason) <= 350
