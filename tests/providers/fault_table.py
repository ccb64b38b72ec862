"""Every fault that a service can have, played by a local server and met through both SDKs: the table of what agentloop
does about it. ``python -m tests.providers.fault_table`` prints it as Markdown; docs/models.md holds it."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentloop.core.chat import Message, Request
from agentloop.core.goal import ModelSpec
from agentloop.ports import ModelError
from agentloop.providers import load
from agentloop.providers.means import Means
from agentloop.providers.retry import with_retries
from tests.wire import WireReply, WireServer, error_reply, html_reply, openai_reply
from tests.wire_replies import anthropic_reply
from tests.wire_streams import frames, sse, streamed

HELLO = Request(system="", messages=(Message(role="user", text="hi"),))
KEY = "test-key-0123456789"
CERTIFICATE = Path(__file__).with_name("self_signed.pem")
PROVIDERS = {"openai": openai_reply, "anthropic": anthropic_reply}
DATES = {"date": "Tue, 01 Dec 2026 10:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 10:00:20 GMT"}


class Met(NamedTuple):
    """What became of a call that meets the fault at every try."""

    requests: int
    waited: str
    billed: bool
    reason: str


def _error_event(reply: Callable[..., WireReply]) -> WireReply:
    begun = frames(streamed(reply("some text")))[:3]
    event = sse([("error", {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})])
    return event.but(body=b"".join(begun) + event.body)


def _cut(reply: Callable[..., WireReply]) -> WireReply:
    whole = streamed(reply("some text"))
    return whole.but(cut=len(whole.body) // 2)


FAULTS: dict[str, Callable[[Callable[..., WireReply]], WireReply]] = {
    "429, Retry-After: 7": lambda reply: error_reply(429, headers={"retry-after": "7"}),
    "429, Retry-After: a date in 20 s": lambda reply: error_reply(429, headers=DATES),
    "429, Retry-After: 3600": lambda reply: error_reply(429, headers={"retry-after": "3600"}),
    "429 without Retry-After": lambda reply: error_reply(429),
    "429, the money ran out": lambda reply: error_reply(429, "pay", code="insufficient_quota"),
    **{f"{status}": lambda reply, status=status: error_reply(status) for status in (500, 502, 503, 504, 529)},
    "connection reset": lambda reply: reply("x").but(cut=-1, reset=True),
    "connection closed before the answer": lambda reply: reply("x").but(cut=-1),
    "head, then silence": lambda reply: reply("x").but(trickle=30.0),
    "a byte now and then": lambda reply: streamed(reply("some text")).but(trickle=0.1),
    "stream cut in the middle": _cut,
    "`error` event inside a stream": _error_event,
    "a page instead of JSON": lambda reply: html_reply(),
    **{f"{status}": lambda reply, status=status: error_reply(status) for status in (400, 401, 403, 404, 413)},
}
"""Fault → the answer that plays it."""

CONNECTIONS = ("connection refused", "TLS: certificate not trusted", "TLS: not spoken there")


def meet(name: str, provider: str) -> Met:
    """Ask once, with the one retry policy, a service that has the fault `name`, and see."""
    with _served(name, provider) as (url, wire):
        spec = ModelSpec(model=f"{provider}:m", base_url=url, timeout=0.4 if _slow(name) else 20.0)
        model = load(spec, Means({f"{provider.upper()}_API_KEY": KEY}))
        waits: list[float] = []
        faults: list[ModelError] = []
        try:
            with_retries(
                lambda: model.ask(HELLO), attempts=4, deadline=600.0, on_fault=faults.append,
                sleep=waits.append, clock=lambda: sum(waits),
            )  # fmt: skip
        except ModelError as error:
            tried = len(wire.log) if wire else len(faults)
            return Met(tried, _rounded(waits), error.billed, error.reason)
    raise AssertionError(f"{name} is no fault")


def _slow(name: str) -> bool:
    return name in ("head, then silence", "a byte now and then")


def _rounded(waits: list[float]) -> str:
    """The waits without their jitter: each is what was asked for or 1, 2, 4 …, and up to a second more."""
    return ", ".join(str(int(wait)) for wait in waits)


@contextmanager
def _served(name: str, provider: str) -> Iterator[tuple[str, WireServer | None]]:
    if name in CONNECTIONS:
        with _connection(name) as url:
            yield url, None
        return
    with WireServer() as wire:
        wire.push(*[FAULTS[name](PROVIDERS[provider])] * 4)
        yield (wire.openai_url if provider == "openai" else wire.anthropic_url), wire


@contextmanager
def _connection(name: str) -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        if name == "connection refused":
            yield f"http://127.0.0.1:{port}"
            return
        listener.listen()
        threading.Thread(target=_answer, args=(listener, "trusted" in name), daemon=True).start()
        yield f"https://localhost:{port}"
        listener.shutdown(socket.SHUT_RDWR)


def _answer(listener: socket.socket, tls: bool) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            try:
                if tls:
                    context.wrap_socket(connection, server_side=True).close()
                else:
                    connection.recv(100)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            except OSError:
                pass


def table() -> str:
    """The whole table as Markdown."""
    rows = [
        "| fault, at every try | SDK | requests | seconds between them | may have been billed |",
        "| --- " * 5 + "|",
    ]
    for name in (*CONNECTIONS[:1], *FAULTS, *CONNECTIONS[1:]):
        met: dict[str, Any] = {provider: meet(name, provider) for provider in PROVIDERS}
        by: dict[Any, list[str]] = {}
        for provider, found in met.items():
            by.setdefault(found[:3], []).append(provider)
        for (requests, waited, billed), providers in by.items():
            both = "both" if len(providers) == len(PROVIDERS) else providers[0]
            rows.append(f"| {name} | {both} | {requests} | {waited or '–'} | {'yes' if billed else 'no'} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
