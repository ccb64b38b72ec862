"""Anthropic's messages, spoken through its SDK."""

from __future__ import annotations

import json

import pytest

from agentloop.core.chat import Message, Request, ToolCall, ToolSpec
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.ports import Model, ModelError
from agentloop.providers.anthropic import AnthropicModel
from agentloop.providers.endpoint import Endpoint
from tests.wire import WireServer, anthropic_reply, error_reply, json_reply
from tests.wire_streams import streamed

USER = Message(role="user", text="how deep is it?")
HELLO = Request(system="be short", messages=(USER,), max_output=50, temperature=0.0)
READ = ToolSpec(name="read", description="reads", parameters={"type": "object", "properties": {}})
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}


def own(wire: WireServer) -> Model:
    """A model that takes the scripted server for Anthropic itself."""
    endpoint = Endpoint(wire.anthropic_url, "k", own=True, loopback=True)
    return AnthropicModel(ModelSpec(model="anthropic:m", timeout=5.0), endpoint)


def test_a_text_reply_comes_back_whole(wire: WireServer, anthropic_model: Model) -> None:
    """Text, usage, reason, model and request id; a gateway is sent the older version, its key and a temperature."""
    wire.push(anthropic_reply("blue", usage={"input_tokens": 9, "output_tokens": 2}))
    reply = anthropic_model.ask(HELLO)
    assert (reply.text, reply.stop, reply.model, reply.request_id) == ("blue", "end", "wire", "req-1")
    assert reply.usage == Usage(uncached=9, output=2)
    assert wire.log[0].path == "/v1/messages"
    assert wire.log[0].headers["x-api-key"] == "test-key-0123456789"
    assert wire.log[0].headers["anthropic-version"] == "2023-06-01"
    assert wire.log[0].body == {
        "model": "m",
        "max_tokens": 50,
        "stream": True,
        "system": "be short",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "how deep is it?"}]}],
        "temperature": 0.0,
    }


def test_anthropic_itself_is_sent_no_temperature_and_caches_a_tool_loop(wire: WireServer) -> None:
    """It would refuse the one, and the other saves money from the second turn on."""
    wire.push(anthropic_reply("blue"), anthropic_reply("blue"))
    own(wire).ask(HELLO)
    own(wire).ask(HELLO.model_copy(update={"tools": (READ,)}))
    assert not {"temperature", "cache_control"} & wire.log[0].body.keys()
    assert wire.log[1].body["cache_control"] == {"type": "ephemeral"}
    assert "x-api-key" not in wire.log[0].headers


def test_a_base_url_that_ends_with_its_version_is_the_same_place(wire: WireServer) -> None:
    """The SDK adds the version itself."""
    endpoint = Endpoint(wire.openai_url, "k", own=False, loopback=True)
    wire.push(anthropic_reply("x"))
    AnthropicModel(ModelSpec(model="anthropic:m"), endpoint).ask(HELLO)
    assert wire.log[0].path == "/v1/messages"


def test_tool_calls_and_their_results_go_round(wire: WireServer, anthropic_model: Model) -> None:
    """The second request repeats the blocks with the thinking's signature; both results are one user turn."""
    calls = [("t1", "read", {"path": "a"}), ("t2", "read", {"path": "b"})]
    wire.push(anthropic_reply("Look.", calls, blocks=[THOUGHT]), anthropic_reply("done"))
    request = HELLO.model_copy(update={"tools": (READ,)})
    first = anthropic_model.ask(request)
    assert first.stop == "tool"
    assert first.calls[0] == ToolCall(id="t1", name="read", arguments='{"path": "a"}')
    turns = (
        USER,
        Message(role="assistant", text=first.text, calls=first.calls, raw=first.raw),
        Message(role="tool", call_id="t1", text="x = 1"),
        Message(role="tool", call_id="t2", text="y = 2"),
        Message(role="user", text="go on"),
    )
    anthropic_model.ask(request.model_copy(update={"messages": turns}))
    assert wire.log[0].body["tools"] == [{"name": "read", "description": "reads", "input_schema": READ.parameters}]
    assert wire.log[1].body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                THOUGHT,
                {"type": "text", "text": "Look."},
                {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "t2", "name": "read", "input": {"path": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "y = 2"},
                {"type": "text", "text": "go on"},
            ],
        },
    ]


def test_another_models_turn_is_rebuilt(wire: WireServer, anthropic_model: Model) -> None:
    """After a fallback the history has foreign ids, broken arguments and foreign `raw`; all of it is made to fit."""
    wire.push(anthropic_reply("done"))
    call = ToolCall(id="call:1.x", name="read", arguments="{")
    turns = (
        USER,
        Message(role="assistant", text="", calls=(call,), raw={"openai": {"role": "assistant"}}),
        Message(role="tool", call_id="call:1.x", text=""),
        Message(role="assistant", text=" "),
        USER,
    )
    anthropic_model.ask(HELLO.model_copy(update={"messages": turns}))
    sent = wire.log[0].body["messages"]
    assert sent[1]["content"] == [{"type": "tool_use", "id": "call_1_x", "name": "read", "input": {"unreadable": "{"}}]
    assert sent[2]["content"] == [{"type": "tool_result", "tool_use_id": "call_1_x", "content": ""}]
    assert sent[3]["content"] == [{"type": "text", "text": "(empty)"}]


def test_structured_output_is_asked_for_and_its_limits_are_told_in_words(wire: WireServer) -> None:
    """The service does not enforce limits; other servers get the schema as it is."""
    limited = {**SCHEMA, "properties": {"n": {"type": "integer", "maximum": 9}}}
    wire.push(anthropic_reply('{"n": 3}'))
    reply = own(wire).ask(HELLO.model_copy(update={"output_schema": limited}))
    assert reply.text == '{"n": 3}'
    sent = wire.log[0].body["output_config"]["format"]
    assert sent["type"] == "json_schema"
    assert "maximum" not in sent["schema"]["properties"]["n"]
    assert "9" in sent["schema"]["properties"]["n"]["description"]


def test_what_a_server_refuses_by_name_is_left_out(wire: WireServer, anthropic_model: Model) -> None:
    """Older gateways know no schema, some models no temperature."""
    wire.push(error_reply(400, "output_config: Extra inputs are not permitted"), error_reply(400, "temperature: no"))
    wire.push(anthropic_reply("ok"))
    request = HELLO.model_copy(update={"output_schema": SCHEMA})
    assert anthropic_model.ask(request).text == "ok"
    assert [set(r.body) & {"output_config", "temperature"} for r in wire.log] == [
        {"output_config", "temperature"},
        {"temperature"},
        set(),
    ]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "unknown"),
        ("null", "unknown"),
    ],
)
def test_reasons_are_told_apart(wire: WireServer, anthropic_model: Model, reason, stop) -> None:
    """Above all a missing reason is not an end."""
    wire.push(anthropic_reply("x", finish=reason))
    assert anthropic_model.ask(HELLO).stop == stop


@pytest.mark.parametrize("body", [{"content": None}, {"content": "text"}, {}])
def test_a_reply_without_blocks_is_an_error(wire: WireServer, anthropic_model: Model, body) -> None:
    """It may have been counted, and another try may do better."""
    wire.push(json_reply(body))
    with pytest.raises(ModelError) as caught:
        anthropic_model.ask(HELLO)
    assert (caught.value.retryable, caught.value.billed) == (True, True)


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (
            {
                "input_tokens": 4,
                "cache_read_input_tokens": 6,
                "cache_creation_input_tokens": 3,
                "output_tokens": 2,
            },
            Usage(uncached=4, cached=6, written=3, output=2),
        ),
        (
            {"input_tokens": 4, "cache_read_input_tokens": None, "output_tokens": 2},
            Usage(uncached=4, output=2),
        ),
        ({"input_tokens": 0, "cache_read_input_tokens": 6, "output_tokens": 2}, Usage(cached=6, output=2)),
    ],
)
def test_usage_is_split_into_disjoint_parts(wire: WireServer, anthropic_model: Model, reported, usage) -> None:
    """What is reported as input excludes what was cached."""
    wire.push(anthropic_reply("x", usage=reported))
    assert anthropic_model.ask(HELLO).usage == usage


@pytest.mark.parametrize("reported", [None, {}, {"input_tokens": None, "output_tokens": None}])
def test_missing_usage_is_taken_at_its_bound(wire: WireServer, anthropic_model: Model, reported) -> None:
    """Unknown is never nothing."""
    wire.push(anthropic_reply("x", usage=reported))
    got = anthropic_model.ask(HELLO).usage
    assert got == Usage(uncached=anthropic_model.bound(HELLO), output=50, estimated=True)


def test_the_second_turn_has_the_same_prefix_as_the_first(wire: WireServer) -> None:
    """Tools, system and task are the same bytes in both requests, and marked where the service's cache looks; what
    was read from the cache is counted and priced apart."""
    usage = {"input_tokens": 50, "cache_creation_input_tokens": 900, "output_tokens": 5}
    wire.push(anthropic_reply(calls=[("c1", "read", {"path": "a"})], usage=usage))
    wire.push(anthropic_reply("ok", usage={"input_tokens": 60, "cache_read_input_tokens": 900, "output_tokens": 5}))
    model = own(wire)
    task = Message(role="user", text="the task")
    first = Request(system="be short", messages=(task,), tools=(READ,), max_output=50)
    reply = model.ask(first)
    said = Message(role="assistant", text=reply.text, calls=reply.calls, raw=reply.raw)
    answered = Message(role="tool", call_id="c1", text="data")
    second = model.ask(first.model_copy(update={"messages": (task, said, answered)}))
    one, two = (request.body for request in wire.log)
    for key in ("tools", "system"):
        assert json.dumps(one[key]) == json.dumps(two[key])
    assert json.dumps(two["messages"]).startswith(json.dumps(one["messages"])[:-1])
    mark = {"type": "ephemeral"}
    assert one["system"] == [{"type": "text", "text": "be short", "cache_control": mark}]
    assert one["messages"][0]["content"][0]["cache_control"] == mark
    assert one["cache_control"] == two["cache_control"] == mark
    assert reply.usage == Usage(uncached=50, written=900, output=5)
    assert second.usage == Usage(uncached=60, cached=900, output=5)
    price = Price(input=10, output=0, cached=1, written=12.5)
    assert price.cost(reply.usage) == 50 * 10_000 + 900 * 12_500
    assert price.cost(second.usage) == 60 * 10_000 + 900 * 1_000


def test_a_server_that_refuses_the_marks_is_asked_without_any(wire: WireServer) -> None:
    """All three of them go at once."""
    wire.push(error_reply(400, "cache_control: Extra inputs are not permitted"), anthropic_reply("ok"))
    own(wire).ask(Request(system="s", messages=(Message(role="user", text="t"),), tools=(READ,)))
    assert "cache_control" in json.dumps(wire.log[0].body)
    assert "cache_control" not in json.dumps(wire.log[1].body)


def test_the_service_counts_tokens_and_a_margin_is_added(wire: WireServer, anthropic_model: Model) -> None:
    """Of the same system, tools and messages; one that has no such endpoint is asked once."""
    wire.push(json_reply({"input_tokens": 1000}), error_reply(404), json_reply({"input_tokens": 7}))
    request = HELLO.model_copy(update={"tools": (READ,)})
    assert anthropic_model.count(request) == 1000 + 20 + 64
    assert wire.log[0].path == "/v1/messages/count_tokens"
    assert wire.log[0].body["tools"][0]["name"] == READ.name
    assert "max_tokens" not in wire.log[0].body
    assert [anthropic_model.count(request), anthropic_model.count(request)] == [None, None]
    assert len(wire.log) == 2


@pytest.mark.parametrize("streaming", [True, False])
def test_where_no_schema_is_taken_a_call_is_forced(wire: WireServer, anthropic_model: Model, streaming: bool) -> None:
    """Its arguments are the answer."""
    forced = anthropic_reply(calls=[("c1", "answer", {"n": 3})])
    wire.push(error_reply(400, "output_config: no"), streamed(forced) if streaming else forced)
    reply = anthropic_model.ask(HELLO.model_copy(update={"output_schema": SCHEMA}))
    assert json.loads(reply.text) == {"n": 3}
    assert (reply.calls, reply.stop) == ((), "end")
    assert reply.raw is None, "a call without its result can't go back"
    assert wire.log[1].body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert wire.log[1].body["tools"][0]["input_schema"] == wire.log[0].body["output_config"]["format"]["schema"]
    assert "output_config was refused and left out" in reply.noticed
