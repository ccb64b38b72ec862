"""A model behind a program: one JSON object on its standard input, one on its standard output.

Input: ``{model, system, messages, tools, max_output}``, with ``schema`` where the answer must be an object of it and
``temperature`` where one is wanted. Output: ``{text, tool_calls: [{id, name, arguments}], usage: {input, output},
stop: end|tool|length}``. docs/models.md describes both.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from agentloop.core.chat import Message, Reply, Request, Stop, ToolCall
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.errors import Refused
from agentloop.ports import Pulse, unwatched
from agentloop.providers.exchange import unusable
from agentloop.providers.faults import sound
from agentloop.providers.means import Means
from agentloop.providers.program import converse
from agentloop.providers.redaction import redact
from agentloop.providers.tokens import HIDDEN_PROMPT, count
from agentloop.providers.turns import objects, text
from agentloop.providers.written_calls import written_calls

SILENT = 100
"""Bytes of an answer's object without any words in it."""

_STOPS: dict[str, Stop] = {"end": "end", "tool": "tool", "length": "length"}


class CommandModel:
    """One program, started anew for every request. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, means: Means) -> None:
        self.spec = spec
        self.means = means
        self.argv = _program(spec, means.home)

    @property
    def name(self) -> str:
        """``command:name``."""
        return self.spec.model

    @property
    def price(self) -> Price | None:
        """What the goal states; nobody else can know what a program costs."""
        return self.spec.price

    def bound(self, request: Request) -> int:
        """An upper bound of the request's input tokens: its bytes, and room for what the program adds."""
        return len(self._question(request)) + HIDDEN_PROMPT

    def count(self, request: Request) -> int | None:
        """A program has no endpoint that counts."""
        return None

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """Start the program and wait for its answer. Raises ModelError."""
        limit = min(self.spec.timeout, seconds or self.spec.timeout)
        request = request.model_copy(update={"max_output": min(request.max_output, self.spec.max_output)})
        said = converse(self.argv, self._question(request), self.means, limit)
        try:
            value = json.loads(said)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redact(said[:80].decode("utf-8", "replace"), "")
            raise unusable(f"{self.argv[0]} printed no JSON object: {shown!r}")
        reply = self._reply(request, sound(value), len(said))
        pulse(len(reply.text))
        return reply

    def _question(self, request: Request) -> bytes:
        asked: dict[str, Any] = {
            "model": self.spec.name,
            "system": request.system,
            "messages": [_turn(message) for message in request.messages],
            "tools": [tool.model_dump() for tool in request.tools],
            "max_output": request.max_output,
        }
        if request.output_schema is not None:
            asked["schema"] = request.output_schema
        if request.temperature is not None:
            asked["temperature"] = request.temperature
        return json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")

    def _reply(self, request: Request, value: dict[str, Any], size: int) -> Reply:
        words = text(value.get("text"))
        calls = tuple(_call(item, n) for n, item in enumerate(objects(value.get("tool_calls"))))
        stop: Stop = _STOPS.get(text(value.get("stop")), "unknown")
        if not calls and request.tools:
            words, calls = written_calls(words, request.tools, f"call_{len(request.messages)}_")
        if calls and stop == "end":
            stop = "tool"
        usage, noticed = _usage(value.get("usage"), len(self._question(request)), size)
        if stop == "unknown":
            noticed = (*noticed, f"stop is {value.get('stop')!r}, not one of {', '.join(_STOPS)}")
        return Reply(text=words, calls=calls, usage=usage, stop=stop, model=self.spec.name, noticed=noticed)


def _program(spec: ModelSpec, home: str) -> tuple[str, ...]:
    try:
        argv = spec.argv or tuple(shlex.split(spec.name))
    except ValueError as error:
        raise Refused(
            f"models: {spec.model}: {error}", "close the quotes, or write the program as `argv: [...]`"
        ) from error
    if "/" in argv[0]:
        argv = (str(Path(home, Path(argv[0]).expanduser()).absolute()), *argv[1:])
    return argv


def _turn(message: Message) -> dict[str, Any]:
    """A message without what only the providers' own formats need."""
    turn = message.model_dump(exclude={"raw"})
    return {key: value for key, value in turn.items() if value or key in ("role", "text")}


def _call(item: dict[str, Any], number: int) -> ToolCall:
    given = item.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps({} if given is None else given, ensure_ascii=False)
    return ToolCall(id=text(item.get("id")) or f"call_{number}", name=text(item.get("name")), arguments=arguments)


def _usage(reported: Any, asked: int, answered: int) -> tuple[Usage, tuple[str, ...]]:
    """As reported, else estimated from bytes, of which a token has at least one."""
    given = reported if isinstance(reported, dict) else {}
    into, out = count(given.get("input")), count(given.get("output"))
    hit = min(count(given.get("cached")) or 0, into or 0)
    new = min(count(given.get("written")) or 0, (into or 0) - hit)
    if not out and answered > SILENT:
        out = None  # nothing comes for no tokens
    if not into or out is None:
        usage = Usage(uncached=into or asked, output=answered if out is None else out, estimated=True)
        return usage, ("no usage was reported; it is estimated from bytes",)
    return Usage(uncached=into - hit - new, cached=hit, written=new, output=out), ()
