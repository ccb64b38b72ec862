"""Ready answers in the providers' wire formats, for `tests.wire`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Call = tuple[str, str, Any]
"""Id, name and arguments; OpenAI's format takes arguments that are not text as JSON, Anthropic's any object."""


@dataclass(frozen=True)
class WireReply:
    """One HTTP answer: `delay` seconds before its head, `trickle` seconds before each byte of its body, and only
    the first `cut` bytes of the body before the connection is closed (-1: not even the head); with `reset` it is torn
    down instead, so that the other side gets an error and no end."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    trickle: float = 0.0
    cut: int | None = None
    reset: bool = False

    def but(self, **changes: Any) -> WireReply:
        """The same with some fields changed: ``openai_reply("hi").but(delay=0.2)``."""
        return replace(self, **changes)


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> WireReply:
    """Any JSON."""
    return WireReply(json.dumps(value).encode(), status, {"content-type": "application/json", **(headers or {})})


def html_reply(text: str = "<html><body>Please log in</body></html>", status: int = 200) -> WireReply:
    """A page, as a captive portal or a gateway sends it."""
    return WireReply(text.encode(), status, {"content-type": "text/html"})


def error_reply(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **more: Any) -> WireReply:
    """An error in the shape that both formats share; `more` goes into its `error` object (`code`, `type`)."""
    error = {"type": "error", "error": {"type": "some_error", "message": message, **more}}
    return json_reply(error, status, headers)


def openai_reply(
    text: str | None = "",
    calls: Sequence[Call] = (),
    finish: str | None = None,
    usage: Mapping[str, Any] | None = None,
    **message: Any,
) -> WireReply:
    """A chat completion. `finish` defaults to what fits; `usage` is sent as it is, and left out where it is None;
    `message` holds further fields of the message. For no finish reason at all give ``finish="null"``."""
    content: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if calls:
        content["tool_calls"] = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
            }
            for id_, name, args in calls
        ]
    reason = finish or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "message": content, "finish_reason": None if reason == "null" else reason}
    body: dict[str, Any] = {"id": "c1", "object": "chat.completion", "created": 1, "model": "wire", "choices": [choice]}
    return json_reply(body if usage is None else {**body, "usage": usage}, headers={"x-request-id": "req-1"})


def anthropic_reply(
    text: str = "",
    calls: Sequence[Call] = (),
    finish: str | None = None,
    usage: Mapping[str, Any] | None = None,
    blocks: Sequence[Mapping[str, Any]] = (),
) -> WireReply:
    """A message. `blocks` come before the text; the rest is as in `openai_reply`."""
    content = [dict(block) for block in blocks]
    content += [{"type": "text", "text": text, "citations": None}] if text else []
    content += [{"type": "tool_use", "id": id_, "name": name, "input": args} for id_, name, args in calls]
    reason = finish or ("tool_use" if calls else "end_turn")
    body: dict[str, Any] = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "wire",
        "content": content,
        "stop_reason": None if reason == "null" else reason,
        "stop_sequence": None,
    }
    return json_reply(body if usage is None else {**body, "usage": usage}, headers={"request-id": "req-1"})
