"""A streamed answer is the same as a whole one, and half a stream is never an answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.core.chat import Message, Reply, Request, ToolSpec
from agentloop.core.goal import ModelSpec
from agentloop.ports import Model, ModelError
from agentloop.providers import load
from agentloop.providers.means import Means
from tests.wire import WireReply, WireServer, anthropic_reply, error_reply, openai_reply
from tests.wire_streams import frames, sse, streamed

TOOL = ToolSpec(name="read", description="d", parameters={"type": "object", "properties": {}})
HELLO = Request(system="", messages=(Message(role="user", text="hi"),), tools=(TOOL,))
Build = Callable[..., Model]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
CALLS = st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=3)


def _plain(reply: Reply) -> Any:
    """The reply with arguments as values: a service that streams may space its JSON otherwise."""
    values = reply.model_dump()
    for call in values["calls"]:
        call["arguments"] = json.loads(call["arguments"])
    return values


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=30),
    calls=CALLS,
    piece=st.integers(1, 7),
    usage=st.booleans(),
)
@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_stream_adds_up_to_the_whole_answer(name: str, text: str, calls: Any, piece: int, usage: bool) -> None:
    """Whatever the text, the calls and the pieces they are cut into."""
    numbered = [(f"id{n}", "read", arguments) for n, arguments in enumerate(calls)]
    make = openai_reply if name == "openai" else anthropic_reply
    counts = {"prompt_tokens": 9, "input_tokens": 9, "completion_tokens": 4, "output_tokens": 4} if usage else None
    whole = make(text, numbered, usage=counts)
    with WireServer() as wire:
        url = wire.openai_url if name == "openai" else wire.anthropic_url
        model = load(ModelSpec(model=f"{name}:m", base_url=url, timeout=20.0), Means({}))
        wire.push(whole, streamed(whole, piece))
        first, second = model.ask(HELLO), model.ask(HELLO)
    assert _plain(first) == _plain(second)


def test_a_run_shows_life_while_an_answer_arrives(either: Build, reply: Any, wire: WireServer) -> None:
    """The characters so far, never fewer than before, all of them at the end."""
    seen: list[int] = []
    wire.push(streamed(reply("a text of some length")))
    either().ask(HELLO, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len("a text of some length")
    assert len(set(seen)) > 3


def _answers(reply: Callable[..., WireReply]) -> list[WireReply]:
    return [streamed(reply("some text", usage=None)), streamed(reply("", [("id1", "read", {"path": "a.py"})]))]


@pytest.mark.parametrize("which", [0, 1], ids=["text", "call"])
@pytest.mark.parametrize("how", ["between events", "inside an event", "cleanly"])
def test_a_stream_that_breaks_off_is_no_answer(
    either: Build, reply: Any, wire: WireServer, which: int, how: str
) -> None:
    """At every event: a cut connection and an early clean end are one fault, and may have been billed."""
    model, whole = either(), _answers(reply)[which]
    parts = frames(whole)
    ends = next(n for n, part in enumerate(parts) if b'"stop"' in part or b'"tool_calls"}' in part or b"_delta" in part)
    last = next((n for n, part in enumerate(parts) if b"message_stop" in part or b'"finish_reason": "' in part), ends)
    for count in range(last):
        size = len(b"".join(parts[:count])) + (len(parts[count]) // 2 if how == "inside an event" else 0)
        if how == "cleanly":
            wire.push(whole.but(body=whole.body[:size]))
        else:
            wire.push(whole.but(cut=size))
        with pytest.raises(ModelError) as caught:
            model.ask(HELLO)
        assert (caught.value.retryable, caught.value.billed) == (True, True), count


ERRORS = [
    ({"type": "overloaded_error", "message": "busy"}, True),
    ({"type": "api_error", "message": "broke"}, True),
    ({"type": "rate_limit_error", "message": "slow down"}, True),
    ({"type": "server_error", "message": "oops", "code": 500}, True),
    ({"type": "invalid_request_error", "message": "no"}, False),
    ({"type": "authentication_error", "message": "no"}, False),
    ({"type": "insufficient_quota", "message": "pay", "code": "insufficient_quota"}, False),
]


@pytest.mark.parametrize(("error", "retryable"), ERRORS, ids=[error["type"] for error, _ in ERRORS])
def test_an_error_inside_a_stream_that_had_begun(
    either: Build, reply: Any, wire: WireServer, error: Any, retryable: bool
) -> None:
    """What came before it is not an answer; its kind says whether another try may help."""
    begun = b"".join(frames(streamed(reply("some text")))[:3])
    wire.push(sse([("error", {"type": "error", "error": error})]))
    wire._queue[-1] = wire._queue[-1].but(body=begun + wire._queue[-1].body)  # type: ignore[union-attr]
    with pytest.raises(ModelError) as caught:
        either().ask(HELLO)
    assert (caught.value.retryable, caught.value.billed) == (retryable, True)
    assert error["message"] in caught.value.reason


@pytest.mark.parametrize("junk", ["{not json", "[1]", '"text"', "null"])
def test_an_event_that_is_no_object(either: Build, reply: Any, wire: WireServer, junk: str) -> None:
    """It is a fault of the service, in words, and never a bug of ours."""
    good = streamed(reply("some text"))
    parts = frames(good)
    spoilt = b"".join(parts[:2]) + f"event: content_block_delta\ndata: {junk}\n\n".encode()
    wire.push(good.but(body=spoilt))
    with pytest.raises(ModelError) as caught:
        either().ask(HELLO)
    assert caught.value.retryable


def test_arguments_that_were_cut_off_stay_as_they_came(wire: WireServer) -> None:
    """The SDK's own reader would complete them to a valid object; here they stay text and the stop says `length`."""
    whole = streamed(anthropic_reply(calls=[("id1", "read", {"path": "tests/a.py"})], finish="max_tokens"))
    parts = [part for part in frames(whole) if b"/a." not in part and b'py"' not in part]
    model = load(ModelSpec(model="anthropic:m", base_url=wire.anthropic_url, timeout=5.0), Means({}))
    wire.push(whole.but(body=b"".join(parts[:5] + parts[-3:])))
    reply = model.ask(HELLO)
    assert reply.stop == "length"
    with pytest.raises(ValueError):
        json.loads(reply.calls[0].arguments)


@pytest.mark.parametrize("words", ["stream: not supported", "unknown field stream_options"])
def test_a_server_that_can_not_stream_is_asked_without(
    either: Build, reply: Any, provider: str, wire: WireServer, words: str
) -> None:
    """And the answer says what was refused."""
    name = "stream_options" if "stream_options" in words and provider == "openai" else "stream"
    wire.push(error_reply(400, words if name in words.split() or provider == "openai" else f"{name}: no"), reply("ok"))
    got = either().ask(HELLO)
    assert got.text == "ok"
    assert name not in wire.log[1].body
    assert any(name in said for said in got.noticed)


def test_streaming_can_be_switched_off(either: Build, reply: Any, wire: WireServer) -> None:
    """`stream: false` asks for the whole answer at once."""
    wire.push(reply("ok"))
    assert either(stream=False).ask(HELLO).text == "ok"
    assert "stream" not in wire.log[0].body


def test_two_calls_under_one_number_are_two_calls(wire: WireServer) -> None:
    """Some servers give every call the number 0 and tell them apart by id."""
    pieces = [
        {"index": 0, "id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": f'{{"path": "{n}"}}'}}
        for n in range(2)
    ]
    chunks = [("", {"model": "m", "choices": [{"delta": {"tool_calls": [piece]}}]}) for piece in pieces]
    wire.push(sse([*chunks, ("", {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}), ("", "[DONE]")]))
    model = load(ModelSpec(model="openai:m", base_url=wire.openai_url, timeout=5.0), Means({}))
    assert [(call.id, call.arguments) for call in model.ask(HELLO).calls] == [
        ("c0", '{"path": "0"}'),
        ("c1", '{"path": "1"}'),
    ]


def test_input_that_comes_whole_is_taken(wire: WireServer) -> None:
    """Gateways send it with the start of the block, and no pieces."""
    block = {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "src"}}
    start = {"model": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}
    events = [
        ("message_start", {"type": "message_start", "message": start}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
        ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        ("message_stop", {"type": "message_stop"}),
    ]  # fmt: skip
    wire.push(sse(events))
    reply = load(ModelSpec(model="anthropic:m", base_url=wire.anthropic_url, timeout=5.0), Means({})).ask(HELLO)
    assert json.loads(reply.calls[0].arguments) == {"path": "src"}
    assert reply.usage.estimated, "the first guess of the output is not what was used"


def test_a_reply_of_many_levels_is_no_crash(wire: WireServer) -> None:
    """It can be written down, and is not sent back as it came."""
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    wire.push(anthropic_reply(calls=[("c1", "read", {"path": deep})]))
    reply = load(ModelSpec(model="anthropic:m", base_url=wire.anthropic_url, timeout=5.0), Means({})).ask(HELLO)
    assert reply.raw is None
    assert reply.model_dump_json()
