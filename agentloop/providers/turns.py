"""What both wire formats need to repeat a conversation."""

from __future__ import annotations

import json
import re
from typing import Any

from agentloop.core.chat import Message, ToolCall

EMPTY = "(empty)"
"""Stands for a turn without text where a service takes none."""


def kept(message: Message, provider: str) -> Any:
    """What this provider itself put into `Reply.raw` for the turn; None where another model answered."""
    return (message.raw or {}).get(provider)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object. What is not one is wrapped: many servers fail on a history with broken JSON."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"unreadable": call.arguments}


def is_object(text: Any) -> bool:
    """Whether `text` is the JSON of an object."""
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects stand in `value` more than `levels` deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(deeper(item, levels - 1) for item in inner)


def wire_id(name: str) -> str:
    """A call's id in the letters that every service takes; the same text gives the same id."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def text(value: Any) -> str:
    """`value` where it is text, else nothing."""
    return value if isinstance(value, str) else ""


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list that came from outside."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
