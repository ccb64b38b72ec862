"""The replies of an earlier run, given again to the same requests."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from threading import Lock
from typing import Any

from agentloop.core.chat import Reply, Request
from agentloop.core.digest import fingerprint


class Cassette:
    """Recorded replies by what was asked. Each is given once, in the order of the recording.

    Two requests are the same when they differ at most in limits and sampling, and in what changes from one run to
    the next though nothing happened otherwise: numbers, times, addresses and paths of temporary folders.
    """

    def __init__(self, name: str, recorded: Iterable[tuple[Request, Reply]]) -> None:
        self.name = name
        self._lock = Lock()
        self._exact: dict[str, deque[int]] = defaultdict(deque)
        self._like: dict[str, deque[int]] = defaultdict(deque)
        self._replies: list[Reply | None] = []
        for number, (request, reply) in enumerate(recorded):
            self._replies.append(reply)
            self._exact[_exact(request)].append(number)
            self._like[_like(request)].append(number)

    def __len__(self) -> int:
        """How many replies are left."""
        return sum(reply is not None for reply in self._replies)

    def take(self, request: Request) -> Reply | None:
        """The next reply to `request`; None where there is none (any more)."""
        with self._lock:
            for waiting in (self._exact.get(_exact(request)), self._like.get(_like(request))):
                while waiting:
                    number = waiting.popleft()
                    reply, self._replies[number] = self._replies[number], None
                    if reply is not None:
                        return reply
        return None


def _asked(request: Request) -> dict[str, Any]:
    return request.model_dump(exclude={"max_output", "temperature"})


def _exact(request: Request) -> str:
    return fingerprint(_asked(request))


def _like(request: Request) -> str:
    return fingerprint(_plain(_asked(request)))


_PASSING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDR"),
    (re.compile(r"(?:/[\w.@+-]+)*/(?:tmp|work|pytest-of-[\w-]+|bench-[\w-]+)(?:/[\w.@+-]+)*"), "TEMP"),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
)
"""What changes from one run to the next: addresses, absolute temporary paths, numbers."""


def _plain(value: Any) -> Any:
    """`value` with what passes taken out of every text in it, and nothing else."""
    if isinstance(value, str):
        for pattern, word in _PASSING:
            value = pattern.sub(word, value)
        return value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
