"""The same answers as server-sent events, for `tests.wire`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tests.wire_replies import WireReply

Frame = tuple[str, Any]
"""Event name (empty for none) and its data; text is sent as it is, anything else as JSON."""


def streamed(reply: WireReply, piece: int = 3) -> WireReply:
    """`reply`, an answer that is whole, as a stream of its parts, texts in pieces of `piece` characters."""
    body = json.loads(reply.body)
    return sse(list(_openai(body, piece) if "choices" in body else _anthropic(body, piece)), reply.headers)


def sse(frames: Iterable[Frame], headers: Any = None) -> WireReply:
    """A stream of these frames."""
    head = {**(headers or {}), "content-type": "text/event-stream; charset=utf-8"}
    return WireReply(b"".join(map(frame, frames)), headers=head)


def frame(part: Frame) -> bytes:
    """One event as bytes."""
    name, data = part
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def frames(reply: WireReply) -> list[bytes]:
    """The events of a streamed reply, each as bytes."""
    return [part + b"\n\n" for part in reply.body.split(b"\n\n")[:-1]]


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _openai(body: dict[str, Any], piece: int) -> Iterator[Frame]:
    about = {key: body[key] for key in ("id", "model") if key in body} | {"object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Frame:
        return "", {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    choice = body["choices"][0]
    message = choice["message"]
    yield chunk({"role": "assistant", "content": None if message["content"] is None else ""})
    for key in ("reasoning_content", "content", "refusal"):
        for part in _pieces(message.get(key) or "", piece):
            yield chunk({key: part})
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        head = {"index": index, "id": call["id"], "type": "function", "function": {"name": function["name"]}}
        yield chunk({"tool_calls": [head]})
        for part in _pieces(function["arguments"], piece):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, choice["finish_reason"])
    if "usage" in body:
        yield "", {**about, "choices": [], "usage": body["usage"]}
    yield "", "[DONE]"


def _anthropic(body: dict[str, Any], piece: int) -> Iterator[Frame]:
    usage = body.get("usage") or {}
    start = {key: value for key, value in usage.items() if key != "output_tokens"}
    yield "message_start", {"type": "message_start", "message": {**body, "content": [], "usage": start}}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(body["content"]):
        field, kind, given = {
            "text": ("text", "text_delta", "text"),
            "thinking": ("thinking", "thinking_delta", "thinking"),
            "tool_use": ("input", "input_json_delta", "partial_json"),
        }[block["type"]]
        empty = {**block, field: {} if field == "input" else ""}
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
        value = block[field]
        for part in _pieces(value if isinstance(value, str) else json.dumps(value), piece):
            delta = {"type": kind, given: part}
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    end = {"stop_reason": body["stop_reason"], "stop_sequence": body["stop_sequence"]}
    last = {"output_tokens": usage["output_tokens"]} if "output_tokens" in usage else {}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": last}
    yield "message_stop", {"type": "message_stop"}
