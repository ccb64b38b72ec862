"""One request over HTTP through an SDK: bounded in time, every failure a ModelError, the answer a JSON object."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from ssl import SSLContext
from typing import Any, Protocol

import httpx2

from agentloop.ports import ModelError
from agentloop.providers.deadline import Deadline
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.faults import HttpFault, fault_of, read_object, sound

CONNECT = 5.0
"""Seconds to reach a service."""


@dataclass(frozen=True)
class Answer:
    """The JSON object that came back, and the headers by their lower-case names."""

    body: dict[str, Any]
    headers: Mapping[str, str]


@cache
def _trust() -> SSLContext:
    """Whom to trust; made once, because it takes long."""
    return httpx2.create_ssl_context()


def limits(seconds: float) -> httpx2.Timeout:
    """The SDKs' own timeouts for an attempt of `seconds` in all."""
    return httpx2.Timeout(seconds, connect=min(CONNECT, seconds))


class Sent(Protocol):
    """What the SDKs' raw responses have in common: the response, and the way to read it as a stream."""

    @property
    def http_response(self) -> httpx2.Response:
        """As httpx2 knows it; of a stream only the head has been read."""

    def parse(self) -> Any:
        """The SDK's own reader of the body."""


Gather = Callable[[Iterable[dict[str, Any]]], dict[str, Any]]
"""Puts the events of a stream together into the object that a whole answer would have been."""


def exchange(
    send: Callable[[httpx2.Client], Sent],
    endpoint: Endpoint,
    seconds: float,
    errors: tuple[type[Exception], ...],
    gather: Gather | None = None,
) -> Answer:
    """Let `send` make one request with a client of its own. `errors` are the SDK's exceptions.

    Each exchange has a new connection: a kept one may have died since, and the deadline must know it from its
    start. Proxies of the environment are used, but never for a server on this machine. Without `gather` an answer
    is read whole; a server may do so although it was asked for a stream.
    """
    caught: tuple[type[Exception], ...] = (*errors, httpx2.HTTPError, ValueError)
    with Deadline(seconds) as deadline:
        hooks: dict[str, list[Callable[..., Any]]] = {
            "request": [deadline.watch, partial(_plain_headers, own=endpoint.own)]
        }
        with httpx2.Client(verify=_trust(), trust_env=not endpoint.loopback, event_hooks=hooks) as client:
            try:
                sent = send(client)
                response = sent.http_response
                if gather and response.headers.get("content-type", "").startswith("text/event-stream"):
                    return Answer(sound(gather(map(_event, sent.parse()))), response.headers)
                response.read()
                return Answer(read_object(response), response.headers)
            except caught as error:
                # "from None": the SDKs' texts may repeat what a server said about the key
                raise (deadline.fault() if deadline.passed else fault_of(error, endpoint.key, time.time())) from None


FOREIGN = ("openai-organization", "openai-project")
"""Headers that the SDKs take from the environment and that only the service itself must see."""


def _plain_headers(request: httpx2.Request, own: bool) -> None:
    """Take out what the SDKs add by environment variables: another server must not see it, and may echo it."""
    custom = [os.environ.get(name, "") for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS")]
    named = {line.partition(":")[0].strip().lower() for text in custom for line in text.splitlines()}
    for name in {*FOREIGN, *named} - KEPT if not own else set():
        if name in request.headers:
            del request.headers[name]


KEPT = {"authorization", "x-api-key", "anthropic-version", "content-type", "content-length", "host", "accept", ""}
"""Headers without which no request works."""


def _event(event: Any) -> dict[str, Any]:
    """An event of a stream as it came. Raises ValueError for one that is no object."""
    if not hasattr(event, "to_dict"):
        raise ValueError(f"an event of the stream is {type(event).__name__}, not an object")
    value: dict[str, Any] = event.to_dict(warnings=False)
    return value


Leaner = Callable[[dict[str, Any]], dict[str, Any]]
"""A request's body without one thing that not every server takes."""


def without(*keys: str) -> Leaner:
    """The body without `keys`."""
    return lambda body: {key: value for key, value in body.items() if key not in keys}


def ask_leaner(
    attempt: Callable[[dict[str, Any], float], Answer],
    body: dict[str, Any],
    optional: Mapping[str, Leaner],
    seconds: float,
    gone: list[str],
) -> Answer:
    """`attempt` with `body`; where the service refuses it for an optional parameter, again without that one, all of it
    within `seconds`.

    `optional` maps the names that a refusal may mention to what to do then. Names that had to go are put into `gone`,
    and what stands there already is left out from the start. Each name goes once, so this ends.
    """
    end = time.monotonic() + seconds
    for name in gone:
        body = optional[name](body)
    while True:
        try:
            return attempt(body, max(0.001, end - time.monotonic()))
        except HttpFault as fault:
            blamed = [name for name in optional if name not in gone and fault.blames(name)]
            leaner = body
            for name in blamed:
                leaner = optional[name](leaner)
            if leaner == body:
                raise
            body = leaner
            gone += blamed


def unusable(what: str) -> ModelError:
    """The error for an answer that is whole but not of the expected shape."""
    return ModelError(f"the answer can't be used: {what}", retryable=True, billed=True)
