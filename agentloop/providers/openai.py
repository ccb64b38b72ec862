"""OpenAI, and every server that speaks its chat completions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import httpx2
import openai

from agentloop.core.chat import Reply, Request, Stop, ToolCall
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.ports import Pulse, unwatched
from agentloop.providers.counter import Counter
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.exchange import Answer, Leaner, ask_leaner, exchange, limits, unusable, without
from agentloop.providers.lacking import noticed
from agentloop.providers.openai_count import count_body
from agentloop.providers.openai_request import ANSWER, NAME, body_of, forced_call
from agentloop.providers.openai_stream import gather
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
_OPTIONAL: dict[str, Leaner] = {
    "stream_options": without("stream_options"),
    "stream": without("stream", "stream_options"),
    "response_format": forced_call,
    "tool_choice": without("tool_choice"),
    "prompt_cache_key": without("prompt_cache_key"),
    "parallel_tool_calls": without("parallel_tool_calls"),
    "temperature": without("temperature"),
}
_KEPT = ("role", "content", "tool_calls", "reasoning_content", "reasoning_details")
"""Of a reply's message: what servers want to have back with the results of its calls."""


class OpenAIModel:
    """One model behind chat completions. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, endpoint: Endpoint) -> None:
        self.spec = spec
        self.endpoint = endpoint
        self._counter = Counter(spec.timeout)
        self._gone: list[str] = []

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

    def count(self, request: Request) -> int | None:
        """The service's own count, with a margin; None where it does not count."""
        return self._counter.count(request, lambda: self._counted(request))

    def _counted(self, request: Request) -> Any:
        body = count_body(request, self.spec.name)
        sdk = self._sdk(self._counter.seconds)
        answer = exchange(
            lambda client: sdk(client).responses.input_tokens.with_raw_response.count(**body),
            self.endpoint,
            self._counter.seconds,
            (openai.APIError,),
        )
        return answer.body.get("input_tokens")

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """Send one request, once; parameters that the server refuses are left out. Raises ModelError."""
        limit = min(self.spec.timeout, seconds or self.spec.timeout)
        request = request.model_copy(update={"max_output": min(request.max_output, self.spec.max_output)})

        def attempt(body: dict[str, Any], left: float) -> Answer:
            return exchange(
                lambda client: self._sdk(left)(client).chat.completions.with_raw_response.create(**body),
                self.endpoint,
                left,
                (openai.APIError,),
                lambda chunks: gather(chunks, pulse),
            )

        body = body_of(request, self.spec.name, own=self.endpoint.own, stream=self.spec.stream)
        answer = ask_leaner(attempt, body, _OPTIONAL, limit, self._gone)
        reply = self._reply(request, answer)
        return reply.model_copy(update={"noticed": noticed(answer.body, self._gone, reply, self.spec.name)})

    def _sdk(self, seconds: float) -> Callable[[httpx2.Client], openai.OpenAI]:
        return lambda client: openai.OpenAI(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key,
            max_retries=0,
            timeout=limits(seconds),
            http_client=client,
        )

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
        answered = [call for call in calls if call.name == ANSWER] if request.output_schema is not None else []
        if forced := bool(answered):
            words, calls, finish = answered[0].arguments, (), "stop" if finish != "length" else finish
        written: tuple[ToolCall, ...] = ()
        if not calls and request.tools and not self.endpoint.own:
            words, written = written_calls(words, request.tools, f"call_{len(request.messages)}_")
        stop = _stop(finish, bool(calls or written), bool(refusal))
        whole = stop in ("end", "tool") and not written and not forced and _can_go_back(message)
        return Reply(
            text=words or refusal,
            calls=calls or written,
            usage=_usage(request, answer.body.get("usage"), bool(words or calls or written)),
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


def _usage(request: Request, usage: Any, said: bool) -> Usage:
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
        said,
    )
