"""OpenAI's chat completions, spoken through its SDK."""

from __future__ import annotations

import pytest

from agentloop.core.chat import Message, Request, ToolCall, ToolSpec
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Usage
from agentloop.ports import Model, ModelError
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.openai import OpenAIModel
from tests.wire import WireServer, error_reply, json_reply, openai_reply

USER = Message(role="user", text="how deep is it?")
HELLO = Request(system="be short", messages=(USER,), max_output=50)
READ = ToolSpec(name="read", description="reads", parameters={"type": "object", "properties": {}})
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


def own(wire: WireServer) -> Model:
    """A model that takes the scripted server for OpenAI itself."""
    return OpenAIModel(
        ModelSpec(model="openai:m", timeout=5.0), Endpoint(wire.openai_url, "k", own=True, loopback=True)
    )


def test_a_text_reply_comes_back_whole(wire: WireServer, openai_model: Model) -> None:
    """Text, usage, reason, model and request id; the request has the plain old words for other servers."""
    wire.push(openai_reply("blue", usage={"prompt_tokens": 9, "completion_tokens": 2}))
    reply = openai_model.ask(HELLO)
    assert (reply.text, reply.stop, reply.model, reply.request_id) == ("blue", "end", "wire", "req-1")
    assert reply.usage == Usage(uncached=9, output=2)
    assert wire.log[0].path == "/v1/chat/completions"
    assert wire.log[0].headers["authorization"] == "Bearer test-key-0123456789"
    assert wire.log[0].body == {
        "model": "m",
        "messages": [{"role": "system", "content": "be short"}, {"role": "user", "content": "how deep is it?"}],
        "max_tokens": 50,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_openai_itself_is_sent_its_newer_words(wire: WireServer) -> None:
    """Its own limit of tokens, and no parallel calls."""
    wire.push(openai_reply("blue"))
    own(wire).ask(HELLO.model_copy(update={"tools": (READ,)}))
    body = wire.log[0].body
    assert body["max_completion_tokens"] == 50
    assert body["parallel_tool_calls"] is False
    assert not {"max_tokens", "n", "temperature"} & body.keys()


def test_a_tool_call_and_its_result_go_round(wire: WireServer, openai_model: Model) -> None:
    """The second request repeats the call as it came, with fields we do not know, and holds the result."""
    wire.push(openai_reply(None, [("c1", "read", {"path": "a.py"})], reasoning_content="hm"), openai_reply("done"))
    request = HELLO.model_copy(update={"tools": (READ,)})
    first = openai_model.ask(request)
    assert first.stop == "tool"
    assert first.calls == (ToolCall(id="c1", name="read", arguments='{"path": "a.py"}'),)
    turn = Message(role="assistant", text=first.text, calls=first.calls, raw=first.raw)
    result = Message(role="tool", call_id="c1", text="x = 1")
    openai_model.ask(request.model_copy(update={"messages": (USER, turn, result)}))
    assert wire.log[0].body["tools"] == [{"type": "function", "function": READ.model_dump()}]
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
    assert wire.log[1].body["messages"][2:] == [
        {"role": "assistant", "tool_calls": [call], "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
    ]


def test_broken_arguments_are_kept_as_sent_and_repeated_as_json(wire: WireServer, openai_model: Model) -> None:
    """The caller sees the text; the history that goes back is JSON, because servers fail on one that is not."""
    wire.push(openai_reply(None, [("c1", "read", '{"path": ')]), openai_reply("done"))
    request = HELLO.model_copy(update={"tools": (READ,)})
    first = openai_model.ask(request)
    assert first.calls[0].arguments == '{"path": '
    turn = Message(role="assistant", calls=first.calls, raw=first.raw)
    result = Message(role="tool", call_id="c1", text="not JSON")
    openai_model.ask(request.model_copy(update={"messages": (USER, turn, result)}))
    sent = wire.log[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert sent == '{"unreadable": "{\\"path\\": "}'


def test_calls_without_ids_get_ids_that_differ_from_turn_to_turn(wire: WireServer, openai_model: Model) -> None:
    """A result could not be told from another's otherwise."""
    wire.push(openai_reply(None, [("", "read", {}), ("", "read", {})]), openai_reply(None, [("", "read", {})]))
    request = HELLO.model_copy(update={"tools": (READ,)})
    first = openai_model.ask(request)
    later = (USER, Message(role="assistant", text="hm"), USER)
    second = openai_model.ask(request.model_copy(update={"messages": later}))
    ids = [call.id for call in first.calls + second.calls]
    assert all(ids)
    assert len(set(ids)) == 3


def test_a_call_written_into_the_text_is_a_call_away_from_openai(wire: WireServer, openai_model: Model) -> None:
    """Small local models write their calls; the service itself is taken at its word."""
    text = 'Let me look.\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```'
    wire.push(openai_reply(text), openai_reply(text))
    request = HELLO.model_copy(update={"tools": (READ,)})
    local, service = openai_model.ask(request), own(wire).ask(request)
    assert (local.text, local.stop, local.calls[0].arguments) == ("Let me look.", "tool", '{"path": "a"}')
    assert (service.text, service.stop, service.calls) == (text, "end", ())


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (SCHEMA, True),
        ({**SCHEMA, "required": []}, False),
        ({**SCHEMA, "additionalProperties": True}, False),
        ({**SCHEMA, "properties": {"n": {"type": "array", "items": {"type": "object"}}}}, False),
    ],
)
def test_a_schema_is_sent_as_strict_only_if_it_is(wire: WireServer, openai_model: Model, schema, strict) -> None:
    """The service refuses strict with a schema that leaves something open."""
    wire.push(openai_reply('{"n": 3}'))
    reply = openai_model.ask(HELLO.model_copy(update={"output_schema": schema}))
    assert reply.text == '{"n": 3}'
    asked = {"name": "answer", "strict": strict, "schema": schema}
    assert wire.log[0].body["response_format"] == {"type": "json_schema", "json_schema": asked}


def test_what_a_server_refuses_by_name_is_left_out(wire: WireServer, openai_model: Model) -> None:
    """One more request for each refused option; what is not optional stays refused."""
    wire.push(error_reply(400, "response_format is not supported"), error_reply(422, "unknown field temperature"))
    wire.push(openai_reply("ok"), error_reply(400, "max_tokens is too large for response_format"), error_reply(400))
    request = HELLO.model_copy(update={"output_schema": SCHEMA, "temperature": 0.0})
    assert openai_model.ask(request).text == "ok"
    assert [set(r.body) & {"response_format", "temperature"} for r in wire.log] == [
        {"response_format", "temperature"},
        {"temperature"},
        set(),
    ]
    with pytest.raises(ModelError, match="HTTP 400: no"):
        openai_model.ask(request)
    assert len(wire.log) == 5


@pytest.mark.parametrize(
    ("finish", "message", "stop"),
    [
        ("stop", {}, "end"),
        ("length", {}, "length"),
        ("content_filter", {}, "filter"),
        ("null", {}, "unknown"),
        ("a new reason", {}, "unknown"),
        ("stop", {"refusal": "I will not"}, "refusal"),
    ],
)
def test_reasons_are_told_apart(wire: WireServer, openai_model: Model, finish, message, stop) -> None:
    """Above all a missing reason is not an end."""
    wire.push(openai_reply("x", finish=finish, **message))
    assert openai_model.ask(HELLO).stop == stop


def test_a_reply_that_was_cut_by_its_length_has_no_content_and_is_a_reply(
    wire: WireServer, openai_model: Model
) -> None:
    """Thinking may use up everything: that is paid for and known, not an error."""
    wire.push(openai_reply(None, finish="length", usage={"prompt_tokens": 5, "completion_tokens": 50}))
    reply = openai_model.ask(HELLO)
    assert (reply.text, reply.stop, reply.usage.output, reply.raw) == ("", "length", 50, None)


@pytest.mark.parametrize("body", [{"choices": None}, {"choices": []}, {"choices": [{"message": None}]}, {}])
def test_a_reply_without_a_message_is_an_error(wire: WireServer, openai_model: Model, body) -> None:
    """It may have been counted, and another try may do better."""
    wire.push(json_reply(body), openai_reply(None))
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            openai_model.ask(HELLO)
        assert (caught.value.retryable, caught.value.billed) == (True, True)


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 6}}, (4, 6, 0, 2)),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cache_write_tokens": 3}},
            (7, 0, 3, 2),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": None}, (10, 0, 0, 2)),
        ({"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 99}}, (0, 10, 0, 0)),
        ({"prompt_tokens": 10.0, "completion_tokens": 2.0}, (10, 0, 0, 2)),
    ],
)
def test_usage_is_split_into_disjoint_parts(wire: WireServer, openai_model: Model, reported, usage) -> None:
    """What is reported as the whole input includes what was cached."""
    wire.push(openai_reply("x", usage=reported))
    got = openai_model.ask(HELLO).usage
    assert (got.uncached, got.cached, got.written, got.output, got.estimated) == (*usage, False)


@pytest.mark.parametrize(
    "reported",
    [None, {}, {"prompt_tokens": "9"}, {"prompt_tokens": 0, "completion_tokens": None}, {"prompt_tokens": -1}],
)
def test_missing_usage_is_taken_at_its_bound(wire: WireServer, openai_model: Model, reported) -> None:
    """Unknown is never nothing."""
    wire.push(openai_reply("x", usage=reported))
    got = openai_model.ask(HELLO).usage
    assert got == Usage(uncached=openai_model.bound(HELLO), output=50, estimated=True)


def test_half_a_surrogate_in_a_reply_does_no_harm(wire: WireServer, openai_model: Model) -> None:
    """The reply can be written to a log."""
    wire.push(openai_reply("a\ud800b"))
    assert "a?b" in openai_model.ask(HELLO).model_dump_json()
