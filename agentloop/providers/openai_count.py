"""A request as OpenAI's token count wants it: it knows the items of the Responses API only."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import Message, Request


def count_body(request: Request, model: str) -> dict[str, Any]:
    """The parameters of `responses.input_tokens.count` for what chat completions would be sent."""
    body: dict[str, Any] = {"model": model, "input": [item for m in request.messages for item in _items(m)]}
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [{"type": "function", "strict": False, **tool.model_dump()} for tool in request.tools]
    if request.output_schema is not None:
        answer = {"type": "json_schema", "name": "answer", "schema": request.output_schema}
        body["text"] = {"format": answer}
    return body


def _items(message: Message) -> list[dict[str, Any]]:
    match message.role:
        case "user":
            return [{"role": "user", "content": message.text}]
        case "tool":
            return [{"type": "function_call_output", "call_id": message.call_id, "output": message.text}]
        case "assistant":
            said = [{"role": "assistant", "content": message.text}] if message.text else []
            calls = [
                {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
                for call in message.calls
            ]
            return said + calls
