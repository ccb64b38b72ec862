"""Anthropic, and gateways that speak its messages."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import anthropic
import httpx2

from agentloop.core.chat import Reply, Request, Stop, ToolCall
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.providers.anthropic_request import NAME, body_of
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.exchange import Answer, ask_leaner, exchange, limits, unusable
from agentloop.providers.prices import price_for
from agentloop.providers.tokens import count, upper_bound, usage_of
from agentloop.providers.turns import objects, text, wire_id

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_OPTIONAL = {"output_config": "output_config", "cache_control": "cache_control", "temperature": "extra_body"}
_OLDER = "2023-06-01"
"""The version that gateways know; the service's own newest one takes no temperature."""


class AnthropicModel:
    """One model behind messages. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, endpoint: Endpoint) -> None:
        self.spec = spec
        self.endpoint = endpoint

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

    def ask(self, request: Request) -> Reply:
        """Send one request, once; parameters that the server refuses are left out. Raises ModelError."""
        body = body_of(request, self.spec.name, own=self.endpoint.own)
        return self._reply(request, ask_leaner(self._attempt, body, _OPTIONAL))

    def _attempt(self, body: dict[str, Any]) -> Answer:
        older = {"x-api-key": self.endpoint.key, "anthropic-version": _OLDER}

        def send(client: httpx2.Client) -> httpx2.Response:
            sdk = anthropic.Anthropic(
                base_url=self.endpoint.base_url.removesuffix("/v1"),
                api_key=self.endpoint.key,
                max_retries=0,
                timeout=limits(self.spec.timeout),
                http_client=client,
                open_telemetry=False,
                default_headers={} if self.endpoint.own else older,
            )
            return sdk.messages.with_raw_response.create(**body).http_response

        return exchange(send, self.endpoint, self.spec.timeout, (anthropic.APIError,))

    def _reply(self, request: Request, answer: Answer) -> Reply:
        if not isinstance(answer.body.get("content"), list):
            raise unusable("its `content` is not a list of blocks")
        spare = f"call_{len(request.messages)}_"
        blocks = [_sendable(block, f"{spare}{n}") for n, block in enumerate(objects(answer.body["content"]))]
        stop = _STOPS.get(text(answer.body.get("stop_reason")), "unknown")
        return Reply(
            text="".join(text(block.get("text")) for block in blocks if block.get("type") == "text"),
            calls=_calls(blocks),
            usage=_usage(request, answer.body.get("usage")),
            stop=stop,
            model=text(answer.body.get("model")),
            request_id=answer.headers.get("request-id", ""),
            raw={NAME: [block for block in blocks if block != _BLANK]} if stop in ("end", "tool") else None,
        )


_BLANK = {"type": "text", "text": ""}


def _sendable(block: dict[str, Any], spare: str) -> dict[str, Any]:
    """A block of a reply as a request takes it back: a call has an id (else `spare`), no field says nothing."""
    given = {key: value for key, value in block.items() if value is not None}
    return {**given, "id": wire_id(text(given.get("id"))) or spare} if given.get("type") == "tool_use" else given


def _calls(blocks: list[dict[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(
            id=text(block.get("id")),
            name=text(block.get("name")),
            arguments=json.dumps(block.get("input"), ensure_ascii=False),
        )
        for block in blocks
        if block.get("type") == "tool_use"
    )


def _usage(request: Request, usage: Any) -> Usage:
    """`input_tokens` excludes what was read from the cache or written to it."""
    reported = usage if isinstance(usage, dict) else {}
    new = count(reported.get("input_tokens"))
    hit = count(reported.get("cache_read_input_tokens")) or 0
    written = count(reported.get("cache_creation_input_tokens")) or 0
    total = None if new is None else new + hit + written
    return usage_of(request, total, hit, written, count(reported.get("output_tokens")))
