"""A server on the loopback interface that speaks the wire formats of the providers from a script.

Push ready replies (or functions from the request's body to a reply), or give one `script` that answers whatever was
not pushed for. Nothing is random, and `log` holds every request::

    with WireServer() as wire:
        wire.push(openai_reply(text="hello", usage={"prompt_tokens": 9, "completion_tokens": 1}))
        ...  # base_url=wire.openai_url, or wire.anthropic_url for messages
        assert wire.log[0].body["messages"][-1]["content"] == "hi"
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self

from tests.wire_replies import WireReply, anthropic_reply, error_reply, html_reply, json_reply, openai_reply

__all__ = [
    "Script",
    "WireReply",
    "WireRequest",
    "WireServer",
    "anthropic_reply",
    "error_reply",
    "html_reply",
    "json_reply",
    "openai_reply",
]


@dataclass(frozen=True)
class WireRequest:
    """What came in. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Script = Callable[[dict[str, Any]], WireReply]


class WireServer:
    """Serves until `close` (or the end of its context), on a free port."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script
        self.log: list[WireRequest] = []
        self._queue: list[WireReply | Script] = []
        self._lock = Lock()
        self._closing = Event()
        self._open: set[socket.socket] = set()
        self._http = _Http(self)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def anthropic_url(self) -> str:
        """Base URL for messages."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def openai_url(self) -> str:
        """Base URL for chat completions."""
        return f"{self.anthropic_url}/v1"

    def push(self, *replies: WireReply | Script) -> Self:
        """Answer the next requests with these, in order."""
        with self._lock:
            self._queue.extend(replies)
        return self

    def close(self) -> None:
        """Stop serving; answers under way are cut."""
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                _cut(connection)
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, request: WireRequest) -> WireReply:
        """Log `request` and pick its reply. An empty script is an error that no client retries."""
        with self._lock:
            self.log.append(request)
            reply = self._queue.pop(0) if self._queue else self.script
        if reply is None:
            return error_reply(400, f"the wire server has no reply left for request {len(self.log)}")
        return reply if isinstance(reply, WireReply) else reply(request.body)

    def pause(self, seconds: float) -> bool:
        """Wait; True where the server is closing."""
        return self._closing.wait(seconds) if seconds else self._closing.is_set()

    def track(self, connection: socket.socket, opened: bool) -> None:
        """Know which connections to cut at the end."""
        with self._lock:
            (self._open.add if opened else self._open.discard)(connection)


class _Http(ThreadingHTTPServer):
    daemon_threads = False  # joined at the end, so that no test leaves a thread behind
    request_queue_size = 64

    def __init__(self, wire: WireServer) -> None:
        self.wire = wire
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the script."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.wire.track(self.connection, opened=True)

    def finish(self) -> None:
        self.server.wire.track(self.connection, opened=False)
        super().finish()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.wire.answer(WireRequest(self.path, headers, json.loads(data or b"{}")))
        if self.server.wire.pause(reply.delay) or reply.cut == -1:
            return self._tear() if reply.reset else self._hang_up()
        self.send_response_only(reply.status)
        for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        body = reply.body[: reply.cut]
        for part in [body[at : at + 1] for at in range(len(body))] if reply.trickle else [body]:
            if self.server.wire.pause(reply.trickle):
                return self._hang_up()
            self.wfile.write(part)
        return self._hang_up() if reply.cut is not None else None

    def _tear(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _hang_up(self) -> None:
        self.close_connection = True
        _cut(self.connection)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
