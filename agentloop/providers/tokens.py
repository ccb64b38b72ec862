"""How many tokens a request has at most, and what a reply says it used.

Bytes bound tokens: the tokenisers in use (byte-level BPE, and sentencepiece with byte fallback) cut text into pieces
of at least one byte each, so a text never has more tokens than UTF-8 bytes. What a chat template adds around each
message is bounded by constants, and structured values are measured as indented ASCII JSON, the widest form in which
templates are known to print them. The bound is two to five times the truth for English and code: good for a limit
that must hold, too coarse for an estimate.
"""

from __future__ import annotations

import json
from typing import Any

from agentloop.core.chat import Message, Request
from agentloop.core.usage import Usage

PER_REQUEST = 64
PER_MESSAGE = 16
PER_TOOL = 32
HIDDEN_PROMPT = 1024
"""What services themselves tell a model when a request has tools or a schema."""


def upper_bound(request: Request) -> int:
    """At most so many input tokens."""
    total = PER_REQUEST + _size(request.system) + sum(map(_message, request.messages))
    total += sum(PER_TOOL + _json_size(tool.model_dump()) for tool in request.tools)
    if request.output_schema is not None:
        total += 2 * _json_size(request.output_schema)  # it may stand in the words too
    return total + (HIDDEN_PROMPT if request.tools or request.output_schema is not None else 0)


def _message(message: Message) -> int:
    calls = sum(PER_TOOL + _size(call.id) + _size(call.name) + _json_size(call.arguments) for call in message.calls)
    rebuilt = _size(message.text) + _size(message.call_id) + calls
    return PER_MESSAGE + max(rebuilt, _json_size(message.raw) if message.raw else 0)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _json_size(value: Any) -> int:
    return len(json.dumps(value, indent=4))


def count(value: Any) -> int | None:
    """A number of tokens as a service wrote it; None where it is not one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def usage_of(
    request: Request,
    total_in: int | None,
    cached: int | None,
    written: int | None,
    out: int | None,
    said: bool = False,
) -> Usage:
    """Usage from what was reported. What is missing (of the input: also a 0, which no request has; of the output a 0
    where something was `said`) is taken at its bound and marked as estimated, never as nothing."""
    out = None if said and not out else out
    estimated = not total_in or out is None
    whole = total_in or upper_bound(request)
    hit = min(cached or 0, whole)
    new = min(written or 0, whole - hit)
    output = request.max_output if out is None else out
    return Usage(uncached=whole - hit - new, cached=hit, written=new, output=output, estimated=estimated)
