"""Anthropic, and gateways that speak its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import anthropic
import httpx2

from agentloop.core.chat import Reply, Request, Stop, ToolCall
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.ports import Pulse, unwatched
from agentloop.providers.anthropic_request import ANSWER, NAME, body_of, forced_call, unmarked
from agentloop.providers.anthropic_stream import gather
from agentloop.providers.counter import Counter
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.exchange import Answer, Leaner, ask_leaner, exchange, limits, unusable, without
from agentloop.providers.lacking import noticed
from agentloop.providers.prices import price_for
from agentloop.providers.tokens import count, upper_bound, usage_of
from agentloop.providers.turns import deeper, is_object, objects, text, wire_id
from agentloop.providers.written_calls import written_calls

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_OPTIONAL: dict[str, Leaner] = {
    "stream": without("stream"),
    "output_config": forced_call,
    "tool_choice": without("tool_choice"),
    "cache_control": unmarked,
    "temperature": without("extra_body"),
}
_OLDER = "2023-06-01"
"""The version that gateways know; the service's own newest one takes no temperature."""


class AnthropicModel:
    """One model behind messages. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, endpoint: Endpoint) -> None:
        self.spec = spec
        self.endpoint = endpoint
        self._counter = Counter(spec.timeout)
        self._gone: list[str] = []

    @property
    def name(self) -> str:
        """``anthropic:model``."""
        return self.spec.model

    @cached_property
    def price(self) -> Price | None:
        """The price that the goal states, else nothing for a server on this machine, else the table's."""
        return price_for(self.spec, self.endpoint)

    def bound(self, request: Request) -> int:
        """An upper bound of the request's input tokens."""
        return upper_bound(request)

    def count(self, request: Request) -> int | None:
        """The service's own count, with a margin; None where it does not count."""
        return self._counter.count(request, lambda: self._counted(request))

    def _counted(self, request: Request) -> Any:
        body = body_of(request, self.spec.name, own=self.endpoint.own, stream=False)
        counted = {key: value for key, value in body.items() if key not in ("max_tokens", "extra_body")}
        sdk = self._sdk(self._counter.seconds)
        answer = exchange(
            lambda client: sdk(client).messages.with_raw_response.count_tokens(**counted),
            self.endpoint,
            self._counter.seconds,
            (anthropic.APIError,),
        )
        return answer.body.get("input_tokens")

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """Send one request, once; parameters that the server refuses are left out. Raises ModelError."""
        limit = min(self.spec.timeout, seconds or self.spec.timeout)
        request = request.model_copy(update={"max_output": min(request.max_output, self.spec.max_output)})

        def attempt(body: dict[str, Any], left: float) -> Answer:
            return exchange(
                lambda client: self._sdk(left)(client).messages.with_raw_response.create(**body),
                self.endpoint,
                left,
                (anthropic.APIError,),
                lambda events: gather(events, pulse),
            )

        body = body_of(request, self.spec.name, own=self.endpoint.own, stream=self.spec.stream)
        answer = ask_leaner(attempt, body, _OPTIONAL, limit, self._gone)
        reply = self._reply(request, answer)
        return reply.model_copy(update={"noticed": noticed(answer.body, self._gone, reply, self.spec.name)})

    def _sdk(self, seconds: float) -> Callable[[httpx2.Client], anthropic.Anthropic]:
        older = {"x-api-key": self.endpoint.key, "anthropic-version": _OLDER}
        return lambda client: anthropic.Anthropic(
            base_url=self.endpoint.base_url.removesuffix("/v1"),
            api_key=self.endpoint.key,
            max_retries=0,
            timeout=limits(seconds),
            http_client=client,
            open_telemetry=False,
            default_headers={} if self.endpoint.own else older,
        )

    def _reply(self, request: Request, answer: Answer) -> Reply:
        if not isinstance(answer.body.get("content"), list):
            raise unusable("its `content` is not a list of blocks")
        spare = f"call_{len(request.messages)}_"
        blocks = [_sendable(block, f"{spare}{n}") for n, block in enumerate(objects(answer.body["content"]))]
        stop = _STOPS.get(text(answer.body.get("stop_reason")), "unknown")
        words = "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
        calls = _calls(objects(answer.body["content"]), blocks)
        answered = [call for call in calls if call.name == ANSWER] if request.output_schema is not None else []
        if forced := bool(answered):
            words, calls, stop = answered[0].arguments, (), "end" if stop == "tool" else stop
        written: tuple[ToolCall, ...] = ()
        if not calls and request.tools and not self.endpoint.own:
            words, written = written_calls(words, request.tools, spare)
            stop = "tool" if written and stop == "end" else stop
        kept = not forced and _whole(stop, calls, written, blocks)
        back = {NAME: [block for block in blocks if block != _BLANK]} if kept else None
        return Reply(
            text=words,
            calls=calls or written,
            usage=_usage(request, answer.body.get("usage"), bool(words or calls or written)),
            stop=stop,
            model=text(answer.body.get("model")),
            request_id=answer.headers.get("request-id", ""),
            raw=back,
        )


_BLANK = {"type": "text", "text": ""}


DEEPEST = 60
"""Levels of a reply that are carried along; JSON writers give up at some 200."""


def _whole(stop: Stop, calls: tuple[ToolCall, ...], written: tuple[ToolCall, ...], blocks: Any) -> bool:
    """Whether the blocks may be sent back as they came."""
    plain = all(is_object(call.arguments) for call in calls) and not deeper(blocks, DEEPEST)
    return stop in ("end", "tool") and not written and plain


def _sendable(block: dict[str, Any], spare: str) -> dict[str, Any]:
    """A block of a reply as a request takes it back: a call has an id (else `spare`), no field says nothing."""
    given = {key: value for key, value in block.items() if value is not None}
    if given.get("type") != "tool_use":
        return given
    given["id"] = wire_id(text(given.get("id"))) or spare
    if isinstance(given.get("input"), str):
        given["input"] = json.loads(given["input"] or "{}") if is_object(given["input"] or "{}") else {}
    return given


def _calls(came: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls: the arguments as they came, the ids as they go back."""
    return tuple(
        ToolCall(id=text(block.get("id")), name=text(block.get("name")), arguments=_arguments(raw.get("input")))
        for raw, block in zip(came, blocks, strict=True)
        if block.get("type") == "tool_use"
    )


def _arguments(value: Any) -> str:
    """A stream holds them as text, a whole answer as a value."""
    return (value or "{}") if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _usage(request: Request, usage: Any, said: bool) -> Usage:
    """`input_tokens` excludes what was read from the cache or written to it."""
    reported = usage if isinstance(usage, dict) else {}
    new = count(reported.get("input_tokens"))
    hit = count(reported.get("cache_read_input_tokens")) or 0
    written = count(reported.get("cache_creation_input_tokens")) or 0
    total = None if new is None else new + hit + written
    return usage_of(request, total, hit, written, count(reported.get("output_tokens")), said)
