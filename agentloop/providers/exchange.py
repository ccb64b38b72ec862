"""One request over HTTP through an SDK: bounded in time, every failure a ModelError, the answer a JSON object."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2

from agentloop.ports import ModelError
from agentloop.providers.deadline import Deadline
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.faults import HttpFault, fault_of, read_object

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


def exchange(
    send: Callable[[httpx2.Client], httpx2.Response],
    endpoint: Endpoint,
    seconds: float,
    errors: tuple[type[Exception], ...],
) -> Answer:
    """Let `send` make one request with a client of its own. `errors` are the SDK's exceptions.

    Each exchange has a new connection: a kept one may have died since, and the deadline must know it from its
    start. Proxies of the environment are used, but never for a server on this machine.
    """
    caught: tuple[type[Exception], ...] = (*errors, httpx2.HTTPError, ValueError)
    with Deadline(seconds) as deadline:
        hooks = {"request": [deadline.watch]}
        with httpx2.Client(verify=_trust(), trust_env=not endpoint.loopback, event_hooks=hooks) as client:
            try:
                response = send(client)
                return Answer(read_object(response), response.headers)
            except caught as error:
                # "from None": the SDKs' texts may repeat what a server said about the key
                raise (deadline.fault() if deadline.passed else fault_of(error, endpoint.key, time.time())) from None


def ask_leaner(
    attempt: Callable[[dict[str, Any]], Answer], body: dict[str, Any], optional: Mapping[str, str]
) -> Answer:
    """`attempt` with `body`; where the service refuses it for an optional parameter, again without that one.

    `optional` maps the names that a refusal may mention to the keys of `body` that they stand for.
    """
    while True:
        try:
            return attempt(body)
        except HttpFault as fault:
            blamed = {key for name, key in optional.items() if key in body and fault.blames(name)}
            if not blamed:
                raise
            body = {key: value for key, value in body.items() if key not in blamed}


def unusable(what: str) -> ModelError:
    """The error for an answer that is whole but not of the expected shape."""
    return ModelError(f"the answer can't be used: {what}", retryable=True, billed=True)
