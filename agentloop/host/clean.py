"""The log as a run writes it: no secret gets in, whatever it comes with."""

from __future__ import annotations

from collections.abc import Iterator

from agentloop.core.events import Event, Stamped
from agentloop.core.events import parse as parse_event
from agentloop.core.secrets import Secrets
from agentloop.ports import Log


class CleanLog:
    """The Log port before another log. Records and blobs go through `secrets` first; trees and their files must not
    be put here, since they keep their bytes."""

    def __init__(self, log: Log, secrets: Secrets) -> None:
        self._log = log
        self._secrets = secrets

    def put(self, data: bytes) -> str:
        """Keep `data` without secrets, return its name. Raises LogDamaged."""
        return self._log.put(self._secrets.clean(data))

    def get(self, digest: str) -> bytes:
        """The bytes of that name. Raises LogDamaged."""
        return self._log.get(digest)

    def append(self, event: Event) -> Stamped:
        """Write one record without secrets. Raises LogDamaged."""
        body = event.model_dump_json().encode()
        cleaned = self._secrets.clean(body)
        return self._log.append(event if cleaned == body else parse_event(cleaned.decode()))

    def __iter__(self) -> Iterator[Stamped]:
        return iter(self._log)

    @property
    def head(self) -> str:
        """``seq:hash`` of the last record."""
        return self._log.head
