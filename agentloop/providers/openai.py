"""OpenAI, and every server that speaks its chat completions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import httpx2
import openai

from agentloop.core.chat import Reply, Request, Stop, ToolCall
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.exchange import Answer, ask_leaner, exchange, limits, unusable
from agentloop.providers.openai_request import NAME, body_of
from agentloop.providers.prices import price_for
from agentloop.providers.tokens import count, upper_bound, usage_of
from agentloop.providers.turns import is_object, objects, text
from agentloop.providers.written_calls import written_calls

_STOPS: dict[str, Stop] = {
    "stop": "end",
    "tool_calls": "tool",
    "function_call": "tool",
    "length": "length",
    "content_filter": "filter",
}
_OPTIONAL = {name: name for name in ("response_format", "parallel_tool_calls", "temperature")}
_KEPT = ("role", "content", "tool_calls", "reasoning_content", "reasoning_details")
"""Of a reply's message: what servers want to have back with the results of its calls."""


class OpenAIModel:
    """One model behind chat completions. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, endpoint: Endpoint) -> None:
        self.spec = spec
        self.endpoint = endpoint

    @property
    def name(self) -> str:
        """``openai:model``."""
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
        def send(client: httpx2.Client) -> httpx2.Response:
            sdk = openai.OpenAI(
                base_url=self.endpoint.base_url,
                api_key=self.endpoint.key,
                max_retries=0,
                timeout=limits(self.spec.timeout),
                http_client=client,
            )
            return sdk.chat.completions.with_raw_response.create(**body).http_response

        return exchange(send, self.endpoint, self.spec.timeout, (openai.APIError,))

    def _reply(self, request: Request, answer: Answer) -> Reply:
        choices = objects(answer.body.get("choices"))
        message = choices[0].get("message") if choices else None
        if not isinstance(message, dict):
            raise unusable("it has no `choices[0].message`")
        finish = choices[0].get("finish_reason")
        content, refusal = _content(message), text(message.get("refusal"))
        calls = _calls(message, f"call_{len(request.messages)}_")
        if content is None and not calls and not refusal and finish not in ("length", "content_filter"):
            raise unusable("its `content` is null")
        words = content or ""
        written: tuple[ToolCall, ...] = ()
        if not calls and request.tools and not self.endpoint.own:
            words, written = written_calls(words, request.tools, f"call_{len(request.messages)}_")
        stop = _stop(finish, bool(calls or written), bool(refusal))
        whole = stop in ("end", "tool") and not written and _can_go_back(message)
        return Reply(
            text=words or refusal,
            calls=calls or written,
            usage=_usage(request, answer.body.get("usage")),
            stop=stop,
            model=text(answer.body.get("model")),
            request_id=answer.headers.get("x-request-id", ""),
            raw={NAME: {key: message[key] for key in _KEPT if message.get(key) is not None}} if whole else None,
        )


def _content(message: dict[str, Any]) -> str | None:
    """The text; some servers send it in parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(text(part.get("text")) for part in objects(content))
    return content if isinstance(content, str) else None


def _calls(message: dict[str, Any], prefix: str) -> tuple[ToolCall, ...]:
    """The calls, in order; one without an id gets one that begins with `prefix`."""
    calls = []
    for number, item in enumerate(objects(message.get("tool_calls"))):
        function = item.get("function")
        if isinstance(function, dict) and text(function.get("name")):
            id_ = text(item.get("id")) or f"{prefix}{number}"
            calls.append(ToolCall(id=id_, name=function["name"], arguments=text(function.get("arguments"))))
    return tuple(calls)


def _can_go_back(message: dict[str, Any]) -> bool:
    """Whether the calls may be repeated as they came: with ids, and with arguments that no server chokes on."""
    calls = _calls(message, "")
    plain = all(call.id and is_object(call.arguments) for call in calls)
    return plain and len(calls) == len(message.get("tool_calls") or ())


def _stop(finish: Any, called: bool, refused: bool) -> Stop:
    if refused:
        return "refusal"
    stop = _STOPS.get(text(finish), "unknown")
    return "tool" if stop == "end" and called else stop


def _usage(request: Request, usage: Any) -> Usage:
    """`prompt_tokens` includes what was cached."""
    reported = usage if isinstance(usage, dict) else {}
    details = reported.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return usage_of(
        request,
        count(reported.get("prompt_tokens")),
        count(details.get("cached_tokens")),
        count(details.get("cache_write_tokens")),
        count(reported.get("completion_tokens")),
    )
