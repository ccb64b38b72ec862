"""A conversation with tools for programs that take text only: how it is written down, how a call is found."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

HOW_TO_CALL = """\
# Tools

To use a tool, write one fenced JSON object and nothing after it:

```json
{"name": "the tool's name", "arguments": {"its": "parameters"}}
```

One tool a reply: its result is the next turn. These are the only tools that there are:
"""
HOW_TO_SHAPE = """\
# The answer

Answer with one JSON object and nothing else: no prose, no fence. It must be valid under this JSON Schema:
"""
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n\s*(?=\{)", re.MULTILINE)


def system_of(request: Mapping[str, Any]) -> str:
    """The system text, with the tools and the shape of the answer described in words."""
    parts = [request.get("system") or "Answer the user."]
    if tools := request.get("tools"):
        parts.append(HOW_TO_CALL + "".join(f"\n{json.dumps(tool, ensure_ascii=False)}\n" for tool in tools))
    if schema := request.get("schema"):
        parts.append(f"{HOW_TO_SHAPE}\n{json.dumps(schema, ensure_ascii=False)}\n")
    return "\n\n".join(parts)


def prompt_of(messages: list[dict[str, Any]]) -> str:
    """The conversation as one text. A longer one begins with the same bytes, so that a cache can know it."""
    turns = [(turn["role"], turn.get("call_id") or "", written(turn)) for turn in messages]
    mark = "====="
    while any(line.startswith(mark) for *_, text in turns for line in text.splitlines()):
        mark += "="  # no turn can hold a line that looks like the beginning of another
    parts = [f"The conversation so far. Each turn begins with {mark} and who speaks; all else in it is its text.\n"]
    parts += [f"{mark} {role}{f' {call_id}' if call_id else ''}\n{text}\n" for role, call_id, text in turns]
    return "\n".join([*parts, f"{mark} assistant\n"])


def written(turn: Mapping[str, Any]) -> str:
    """A turn's text, its tool calls written as the model is asked to write them."""
    calls = turn.get("calls") or ()
    fenced = [
        f'```json\n{{"name": {json.dumps(call["name"])}, "arguments": {call["arguments"]}}}\n```' for call in calls
    ]
    return "\n\n".join(part for part in [turn.get("text") or "", *fenced] if part)


def first_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """The text before the first tool call, and the call. What follows was written before its result was known."""
    if (whole := call_at(text.strip(), 0)) and whole[1] == len(text.strip()):
        return "", whole[0]
    for fence in _FENCE.finditer(text):
        found = call_at(text, fence.end())
        if found and re.match(r"\s*```", text[found[1] :]):
            return text[: fence.start()].strip(), found[0]
    return None


def call_at(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The call that `text` holds at `start`, and where it ends."""
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refused).raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(value, dict) and set(value) == {"name", "arguments"}
    return (value, end) if fits and isinstance(value["name"], str) and isinstance(value["arguments"], dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
