"""A conversation with a model as values that every provider translates to and from."""

from __future__ import annotations

from typing import Any, Literal

from agentloop.core.frozen import Frozen
from agentloop.core.usage import Usage


class ToolSpec(Frozen):
    """A tool as a model is shown it; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolCall(Frozen):
    """A model's wish to use a tool. `arguments` is the text it sent, not yet parsed or trusted."""

    id: str
    name: str
    arguments: str


class Message(Frozen):
    """One turn. A `tool` message answers the call named by `call_id`; an `assistant` one may hold calls.

    `raw` is the `Reply.raw` that an assistant turn came with. A `pinned` one is never left out of a request.
    """

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    raw: dict[str, Any] | None = None
    pinned: bool = False


class Request(Frozen):
    """One call of a model. `output_schema` asks for a JSON object of that schema instead of free text.

    `max_output` is in tokens and holds for the whole reply, thinking included.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    output_schema: dict[str, Any] | None = None
    max_output: int = 4096
    temperature: float | None = None


Stop = Literal["end", "tool", "length", "refusal", "filter", "unknown"]


class Reply(Frozen):
    """A whole reply. `stop` says why it ended: anything but `end` and `tool` must not be acted on.

    `raw` is what the provider needs to have back in the next request (thinking signatures and the like). `noticed`
    lists in words what the service left out of its answer or did otherwise than it was asked.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    stop: Stop = "unknown"
    model: str = ""
    request_id: str = ""
    raw: dict[str, Any] | None = None
    noticed: tuple[str, ...] = ()
