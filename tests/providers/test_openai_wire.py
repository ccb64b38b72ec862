"""OpenAI's chat completions, spoken through its SDK."""

from __future__ import annotations

import json

import pytest

from agentloop.core.chat import Message, Request, ToolCall, ToolSpec
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Usage
from agentloop.errors import Refused
from agentloop.ports import Model, ModelError
from agentloop.providers import load
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.means import Means
from agentloop.providers.openai import OpenAIModel
from tests.wire import WireServer, error_reply, json_reply, openai_reply
from tests.wire_streams import streamed

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
    """One more request for each refused option, once for the model; what is not optional stays refused."""
    wire.push(error_reply(400, "response_format is not supported"), error_reply(422, "unknown field temperature"))
    wire.push(openai_reply("ok"), error_reply(400, "max_tokens is too large for response_format"))
    wire.push(openai_reply("plain"))
    request = HELLO.model_copy(update={"output_schema": SCHEMA, "temperature": 0.0})
    assert openai_model.ask(request).text == "ok"
    assert [set(r.body) & {"response_format", "temperature"} for r in wire.log] == [
        {"response_format", "temperature"},
        {"temperature"},
        set(),
    ]
    with pytest.raises(ModelError, match="HTTP 400: max_tokens is too large"):
        openai_model.ask(request)
    assert len(wire.log) == 4
    assert not {"response_format", "temperature"} & set(wire.log[3].body)
    assert openai_model.ask(HELLO).text == "plain"


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
        ({"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 99}}, (0, 10, 0, 1)),
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


def test_the_second_turn_has_the_same_prefix_as_the_first(wire: WireServer) -> None:
    """The service caches by prefix: it is the same bytes, under the same cache key; cached tokens are told apart."""
    details = {"prompt_tokens": 950, "prompt_tokens_details": {"cached_tokens": 900}, "completion_tokens": 5}
    wire.push(openai_reply(calls=[("c1", "read", {"path": "a"})], usage={"prompt_tokens": 950, "completion_tokens": 5}))
    wire.push(openai_reply("ok", usage=details))
    model = own(wire)
    task = Message(role="user", text="the task")
    first = Request(system="be short", messages=(task,), tools=(READ,), max_output=50)
    reply = model.ask(first)
    said = Message(role="assistant", text=reply.text, calls=reply.calls, raw=reply.raw)
    second = model.ask(
        first.model_copy(update={"messages": (task, said, Message(role="tool", call_id="c1", text="d"))})
    )
    one, two = (request.body for request in wire.log)
    assert json.dumps(one["tools"]) == json.dumps(two["tools"])
    assert json.dumps(two["messages"]).startswith(json.dumps(one["messages"])[:-1])
    assert one["prompt_cache_key"] == two["prompt_cache_key"]
    assert second.usage == Usage(uncached=50, cached=900, output=5)


def test_the_service_counts_tokens_and_a_margin_is_added(wire: WireServer, openai_model: Model) -> None:
    """It knows the items of the Responses API; one that has no such endpoint is asked once."""
    wire.push(json_reply({"object": "response.input_tokens", "input_tokens": 100}), error_reply(404))
    called = Message(role="assistant", text="hm", calls=(ToolCall(id="c1", name="read", arguments="{}"),))
    turns = (*HELLO.messages, called, Message(role="tool", call_id="c1", text="d"))
    request = HELLO.model_copy(update={"messages": turns, "tools": (READ,), "output_schema": SCHEMA})
    assert openai_model.count(request) == 100 + 2 + 64
    body = wire.log[0].body
    assert wire.log[0].path == "/v1/responses/input_tokens"
    assert body["instructions"] == HELLO.system
    assert [item.get("type", item.get("role")) for item in body["input"]] == [
        "user", "assistant", "function_call", "function_call_output",
    ]  # fmt: skip
    assert body["text"]["format"]["schema"] == SCHEMA
    assert [openai_model.count(request), openai_model.count(request)] == [None, None]
    assert len(wire.log) == 2


@pytest.mark.parametrize("streaming", [True, False])
def test_where_no_schema_is_taken_a_call_is_forced(wire: WireServer, openai_model: Model, streaming: bool) -> None:
    """Its arguments are the answer."""
    forced = openai_reply(calls=[("c1", "answer", {"n": 3})])
    wire.push(error_reply(400, "response_format: no"), streamed(forced) if streaming else forced)
    reply = openai_model.ask(HELLO.model_copy(update={"output_schema": SCHEMA}))
    assert json.loads(reply.text) == {"n": 3}
    assert (reply.calls, reply.stop) == ((), "end")
    assert reply.raw is None, "a call without its result can't go back"
    assert wire.log[1].body["tool_choice"] == {"type": "function", "function": {"name": "answer"}}
    assert wire.log[1].body["tools"][0]["function"]["parameters"] == SCHEMA
    assert json.dumps(SCHEMA) in wire.log[0].body["messages"][0]["content"], "some ignore the parameter"


def test_what_a_server_leaves_out_is_noticed(wire: WireServer, openai_model: Model) -> None:
    """Usage, finish reason, model name; another model than asked for."""
    wire.push(openai_reply("x", finish="null"))
    noticed = openai_model.ask(HELLO).noticed
    assert noticed == (
        "no usage was reported; its upper bound is taken",
        "no known finish reason",
        "asked for m, answered by wire",
    )
    nameless = {"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    wire.push(json_reply({**nameless, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}))
    assert openai_model.ask(HELLO).noticed == ("no model name",)


def test_embeddings_are_asked_for_like_any_answer(wire: WireServer) -> None:
    """The vector of the text, with its usage; a reply without one is an error."""
    spec = ModelSpec(model="openai:small", base_url=wire.openai_url, timeout=5.0)
    model = load(spec, Means({}), "embedder")
    good = {"data": [{"embedding": [0.5, 1]}], "model": "small", "usage": {"prompt_tokens": 3, "total_tokens": 3}}
    wire.push(json_reply(good), json_reply({"data": []}), json_reply({"data": [{"embedding": "x"}]}))
    reply = model.ask(Request(system="", messages=(Message(role="user", text="a text"),), max_output=0))
    assert (json.loads(reply.text), reply.stop, reply.noticed) == ([0.5, 1], "end", ())
    assert reply.usage == Usage(uncached=3)
    assert (wire.log[0].path, wire.log[0].body["input"]) == ("/v1/embeddings", ["a text"])
    for _ in range(2):
        with pytest.raises(ModelError, match="one vector for each text"):
            model.ask(HELLO)
    with pytest.raises(Refused, match="has no embeddings"):
        load(ModelSpec(model="anthropic:m"), Means({"ANTHROPIC_API_KEY": "k"}), "embedder")


def test_what_is_said_for_no_tokens_is_taken_at_its_bound(wire: WireServer, openai_model: Model) -> None:
    """A reported 0 beside a text is a number left out."""
    wire.push(openai_reply("x", usage={"prompt_tokens": 9, "completion_tokens": 0}))
    assert openai_model.ask(HELLO).usage == Usage(uncached=9, output=50, estimated=True)


def test_headers_of_the_environment_reach_the_service_alone(wire: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another server must not see what was set for OpenAI; it might even repeat it."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: s3cr3t")
    wire.push(openai_reply("x"), openai_reply("x"))
    load(ModelSpec(model="openai:m", base_url=wire.openai_url, timeout=5.0), Means({})).ask(HELLO)
    own(wire).ask(HELLO)
    foreign, service = (request.headers for request in wire.log)
    assert not any("secret" in value or "s3cr3t" in value for value in foreign.values())
    assert service["openai-organization"] == "org-secret"


def test_no_model_is_asked_for_more_than_its_own_limit(wire: WireServer) -> None:
    """A fallback may have a smaller one than the first model of the list."""
    model = load(ModelSpec(model="openai:m", base_url=wire.openai_url, timeout=5.0, max_output=20), Means({}))
    wire.push(openai_reply("x"))
    model.ask(HELLO)
    assert wire.log[0].body["max_tokens"] == 20
