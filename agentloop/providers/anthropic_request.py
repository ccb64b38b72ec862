"""A request as Anthropic's messages want it."""

from __future__ import annotations

from typing import Any

import anthropic

from agentloop.core.chat import Message, Request
from agentloop.providers.turns import EMPTY, arguments_of, kept, wire_id

NAME = "anthropic"
"""Marks what this provider keeps in `Reply.raw`."""


def body_of(request: Request, model: str, own: bool) -> dict[str, Any]:
    """The parameters of `messages.create`. `own` is Anthropic itself, which takes no temperature.

    With tools the conversation will come again, longer: then its beginning is worth caching.
    """
    body: dict[str, Any] = {"model": model, "max_tokens": request.max_output, "messages": _turns(request)}
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if own:
            body["cache_control"] = {"type": "ephemeral"}
    if request.output_schema is not None:
        schema = _plain(request.output_schema) if own else request.output_schema
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if request.temperature is not None and not own:
        body["extra_body"] = {"temperature": request.temperature}
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
