"""Tool calls that a model wrote into its text, as small local models do although tools were offered properly."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from agentloop.core.chat import ToolCall, ToolSpec

_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)```|<tool_call>(.*?)</tool_call>", re.DOTALL)


def written_calls(text: str, tools: Sequence[ToolSpec], prefix: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The text without the calls, and the calls, with ids that begin with `prefix`.

    A call is a JSON object with the `name` of an offered tool and its `arguments`, either the whole text or alone in
    a fenced block. Anything else stays text.
    """
    offered = {tool.name for tool in tools}
    calls: list[ToolCall] = []

    def take(block: str) -> bool:
        found = _call(block, offered)
        if found is not None:
            calls.append(ToolCall(id=f"{prefix}{len(calls)}", name=found[0], arguments=found[1]))
        return found is not None

    if take(text):
        return "", tuple(calls)
    rest = _FENCED.sub(lambda match: "" if take(match[1] or match[2] or "") else match[0], text)
    return rest.strip() if calls else text, tuple(calls)


def _call(block: str, offered: set[str]) -> tuple[str, str] | None:
    if not block.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(block)
    except (ValueError, RecursionError):
        return None
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or name not in offered or not isinstance(arguments, dict):
        return None
    return name, json.dumps(arguments, ensure_ascii=False)
