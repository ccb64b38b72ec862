"""Chat completion chunks, put together into the object that a whole answer would have been."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentloop.ports import Pulse
from agentloop.providers.turns import objects, text

_GROWING = ("content", "refusal", "reasoning_content")
"""Texts of a message that arrive in pieces."""


def gather(chunks: Iterable[dict[str, Any]], pulse: Pulse) -> dict[str, Any]:
    """The completion that `chunks` add up to; `pulse` is told how many characters there are so far.

    Raises ValueError for a stream that ends with neither a finish reason nor usage: it was cut at a clean place.
    """
    body: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    finish, size, begun = None, 0, False
    for chunk in chunks:
        body |= {key: chunk[key] for key in ("id", "model", "usage") if chunk.get(key) is not None}
        for choice in objects(chunk.get("choices"))[:1]:
            begun = True
            delta = choice.get("delta")
            size += _grow(message, delta) if isinstance(delta, dict) else 0
            finish = choice.get("finish_reason") or finish
        pulse(size)
    if finish is None and "usage" not in body:
        raise ValueError("the stream ended before the answer did")
    for call in message.get("tool_calls", []):
        del call["index"]
    return {**body, "choices": [{"index": 0, "message": message, "finish_reason": finish}] if begun else []}


def _grow(message: dict[str, Any], delta: dict[str, Any]) -> int:
    """Add a piece to `message`; the number of characters that came."""
    came = 0
    for key in _GROWING:
        if isinstance(piece := delta.get(key), str):
            message[key] = (message.get(key) or "") + piece
            came += len(piece)
    if details := delta.get("reasoning_details"):
        message["reasoning_details"] = [*message.get("reasoning_details", []), *objects(details)]
    for part in objects(delta.get("tool_calls")):
        came += _call(message.setdefault("tool_calls", []), part)
    return came


def _call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> int:
    """Add a piece of a call: servers number them, but some only send an id with the first piece of each."""
    index = piece.get("index")
    if not isinstance(index, int):
        index = len(calls) - 1 if calls and not piece.get("id") else len(calls)
    given = text(piece.get("id"))
    known = next((call for call in reversed(calls) if call["index"] == index), None)
    if known and given and given != known.get("id", given):
        known = None  # some servers give every call the number 0
    if known is None:
        known = {"index": index, "type": "function", "function": {"name": "", "arguments": ""}}
        calls.append(known)
    if given:
        known["id"] = given
    function = piece.get("function")
    named, more = (text(function.get(key)) if isinstance(function, dict) else "" for key in ("name", "arguments"))
    known["function"]["name"] = known["function"]["name"] or named
    known["function"]["arguments"] += more
    return len(more)
