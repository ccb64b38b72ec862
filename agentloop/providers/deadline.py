"""A limit for one whole HTTP exchange.

A client's read timeout starts again with every byte, so a server that sends one byte now and then would hold a
request for ever. Here a timer shuts the connection when the time is over, whatever it is waiting for.
"""

from __future__ import annotations

import contextlib
import socket
from threading import Lock, Timer
from types import TracebackType
from typing import Any, Self

import httpx2

from agentloop.ports import ModelError


class Deadline:
    """A context of `seconds`; `watch` is a request hook of an httpx2 client. `passed` says that time is over."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._lock = Lock()
        self._sockets: list[socket.socket] = []
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()

    def watch(self, request: httpx2.Request) -> None:
        """Have the connection that `request` opens reported to this deadline."""
        request.extensions["trace"] = self._seen

    def fault(self) -> ModelError:
        """What to raise when the time is over; without a connection nothing can have been counted."""
        reason = f"no whole answer within {self.seconds:.3g} s"
        return ModelError(reason, retryable=True, billed=bool(self._sockets))

    def _seen(self, event: str, info: dict[str, Any]) -> None:
        if not event.endswith("connect_tcp.complete"):
            return
        # A duplicate: TLS takes the original descriptor over, and shutting either one ends the connection.
        mine = info["return_value"].get_extra_info("socket").dup()
        with self._lock:
            self._sockets.append(mine)
            if self.passed:
                _shut(mine)

    def _end(self) -> None:
        with self._lock:
            self.passed = True
            for sock in self._sockets:
                _shut(sock)


def _shut(sock: socket.socket) -> None:
    """Wake up whoever reads from the connection; closing a descriptor would leave a reader asleep."""
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
