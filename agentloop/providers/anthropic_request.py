"""A request as Anthropic's messages want it."""

from __future__ import annotations

import json
from typing import Any

import anthropic

from agentloop.core.chat import Message, Request
from agentloop.providers.turns import EMPTY, arguments_of, kept, wire_id

NAME = "anthropic"
"""Marks what this provider keeps in `Reply.raw`."""


ANSWER = "answer"
"""The tool whose arguments are the answer, for servers that take no schema for the answer itself."""

MARK = {"cache_control": {"type": "ephemeral"}}
"""What comes before this is worth keeping in the service's cache."""


def body_of(request: Request, model: str, own: bool, stream: bool) -> dict[str, Any]:
    """The parameters of `messages.create`. `own` is Anthropic itself, which takes no temperature.

    With tools the conversation will come again, longer. Three places are marked for the cache: the end of tools
    and system, the end of the first message (the task), and (by the mark of the whole) the end of what there is.
    The first two stand in every turn with the very same bytes before them.
    """
    body: dict[str, Any] = {"model": model, "max_tokens": request.max_output, "messages": _turns(request)}
    if stream:
        body["stream"] = True
    if words := _words(request, own):
        body["system"] = words
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if own:
            _mark(body)
    if request.output_schema is not None:
        schema = _plain(request.output_schema) if own else request.output_schema
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if request.temperature is not None and not own:
        body["extra_body"] = {"temperature": request.temperature}
    return body


def _words(request: Request, own: bool) -> str:
    """The system text; other servers may ignore the parameter with the schema, so that it also stands there."""
    if request.output_schema is None or own:
        return request.system
    return f"{request.system}\n\nThe JSON Schema of the answer:\n{json.dumps(request.output_schema)}".lstrip()


def _mark(body: dict[str, Any]) -> None:
    body |= MARK
    if "system" in body:
        body["system"] = [{"type": "text", "text": body["system"], **MARK}]
    first = body["messages"][0]["content"] if body["messages"] else []
    if first and first[0]["type"] == "text":
        first[0] = {**first[0], **MARK}


def unmarked(body: dict[str, Any]) -> dict[str, Any]:
    """`body` without any mark for a cache."""
    taken: dict[str, Any] = _without_marks(body)
    return taken


def _without_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_marks(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_marks(item) for key, item in value.items() if key != "cache_control"}
    return value


def forced_call(body: dict[str, Any]) -> dict[str, Any]:
    """`body` with a tool that must be called in place of the schema for the answer, where it has one."""
    if "output_config" not in body:
        return body
    body = dict(body)
    schema = body.pop("output_config")["format"]["schema"]
    tool = {"name": ANSWER, "description": "Gives the answer.", "input_schema": schema}
    body["tools"] = [*body.get("tools", []), tool]
    body["tool_choice"] = {"type": "tool", "name": ANSWER}
    return body


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` with the limits that the service does not enforce moved into the descriptions."""
    try:
        return anthropic.transform_schema(schema)
    except ValueError:
        return schema


def _turns(request: Request) -> list[dict[str, Any]]:
    """The conversation with neighbours of one side put together, as results of one turn's calls must be."""
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _blocks(message)
    for turn in turns:
        turn["content"] = turn["content"] or _text(EMPTY)
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    match message.role:
        case "user":
            return _text(message.text)
        case "tool":
            return [{"type": "tool_result", "tool_use_id": wire_id(message.call_id), "content": message.text}]
        case "assistant":
            return kept(message, NAME) or _rebuilt(message)


def _rebuilt(message: Message) -> list[dict[str, Any]]:
    """An assistant turn that another model gave, or that came without blocks."""
    calls = [
        {"type": "tool_use", "id": wire_id(call.id), "name": call.name, "input": arguments_of(call)}
        for call in message.calls
    ]
    return _text(message.text) + calls


def _text(text: str) -> list[dict[str, Any]]:
    """A text block; none for text of nothing but space, which the service refuses."""
    return [{"type": "text", "text": text}] if text.strip() else []
