"""A request as chat completions want it."""

from __future__ import annotations

import json
from typing import Any

from agentloop.core.chat import Message, Request
from agentloop.core.digest import fingerprint
from agentloop.providers.strict_schema import is_strict
from agentloop.providers.turns import arguments_of, is_object, kept

NAME = "openai"
"""Marks what this provider keeps in `Reply.raw`."""


ANSWER = "answer"
"""The tool whose arguments are the answer, for servers that take no schema for the answer itself."""


def body_of(request: Request, model: str, own: bool, stream: bool) -> dict[str, Any]:
    """The parameters of `chat.completions.create`. `own` is OpenAI itself; others get the older, plainer words.

    The schema of an answer also stands in the words to other servers: some ignore the parameter without a sign.
    """
    words = request.system
    if request.output_schema is not None and not own:
        words += f"\n\nThe JSON Schema of the answer:\n{json.dumps(request.output_schema)}"
    system = [{"role": "system", "content": words}] if words else []
    body: dict[str, Any] = {"model": model, "messages": system + [_turn(message) for message in request.messages]}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    body["max_completion_tokens" if own else "max_tokens"] = request.max_output
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
        if own:
            body["parallel_tool_calls"] = False
            body["prompt_cache_key"] = cache_key(request)
    if request.output_schema is not None:
        schema = request.output_schema
        answer = {"name": "answer", "strict": is_strict(schema), "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    return body


def forced_call(body: dict[str, Any]) -> dict[str, Any]:
    """`body` with a tool that must be called in place of the schema for the answer, where it has one."""
    if "response_format" not in body:
        return body
    body = dict(body)
    asked = body.pop("response_format")["json_schema"]
    function = {"name": ANSWER, "description": "Gives the answer.", "parameters": asked["schema"]}
    body["tools"] = [*body.get("tools", []), {"type": "function", "function": function}]
    body["tool_choice"] = {"type": "function", "function": {"name": ANSWER}}
    return body


def cache_key(request: Request) -> str:
    """Brings the turns of one conversation to the same cache: they share system, tools and first message."""
    first = request.messages[0].text if request.messages else ""
    return "agentloop:" + fingerprint([request.system, [tool.name for tool in request.tools], first])[:16]


def _turn(message: Message) -> dict[str, Any]:
    match message.role:
        case "user":
            return {"role": "user", "content": message.text}
        case "tool":
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case "assistant":
            return kept(message, NAME) or _rebuilt(message)


def _rebuilt(message: Message) -> dict[str, Any]:
    """An assistant turn that another model gave, or that can't go back as it came."""
    turn: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": call.arguments if is_object(call.arguments) else json.dumps(arguments_of(call)),
                },
            }
            for call in message.calls
        ]
    return turn
