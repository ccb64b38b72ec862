"""Message events, put together into the object that a whole answer would have been."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentloop.ports import Pulse
from agentloop.providers.turns import text

_PIECES = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
}
"""Kind of a piece → where its text stands, and the field of the block that it belongs to."""


def gather(events: Iterable[dict[str, Any]], pulse: Pulse) -> dict[str, Any]:
    """The message that `events` add up to; `pulse` is told how many characters there are so far.

    The `input` of a call stays the text that was sent. The SDK's own reader completes what was cut off, so that
    half a call looks whole. Raises ValueError for a stream without its last event.
    """
    body: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    size, whole = 0, False
    for event in events:
        match event.get("type"):
            case "message_start":
                body = dict(_inner(event, "message"))
                usage = _inner(body, "usage")  # its output is a first guess, not what will have been used
                body["usage"] = {key: value for key, value in usage.items() if key != "output_tokens"}
            case "content_block_start":
                block = dict(_inner(event, "content_block"))
                blocks[_index(event)] = block
            case "content_block_delta":
                size += _grow(blocks.setdefault(_index(event), {}), _inner(event, "delta"))
            case "message_delta":
                reported = {key: value for key, value in _inner(event, "usage").items() if value is not None}
                body |= {"usage": {**(body.get("usage") or {}), **reported}, **_inner(event, "delta")}
            case "message_stop":
                whole = True
        pulse(size)
    if not whole:
        raise ValueError("the stream ended before the answer did")
    return {**body, "content": [blocks[index] for index in sorted(blocks)]}


def _grow(block: dict[str, Any], delta: dict[str, Any]) -> int:
    source, field = _PIECES.get(text(delta.get("type")), ("", ""))
    piece = text(delta.get(source))
    if piece:
        block[field] = text(block.get(field)) + piece  # an `input` that came as an object gives way to its text
    return len(piece)


def _inner(event: dict[str, Any], name: str) -> dict[str, Any]:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _index(event: dict[str, Any]) -> int:
    value = event.get("index")
    return value if isinstance(value, int) else 0
