"""The replies that an earlier run recorded, offline and for nothing."""

from __future__ import annotations

from agentloop.core.chat import Reply, Request
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import FREE, Price
from agentloop.ports import ModelError, Pulse, unwatched
from agentloop.providers.means import Means
from agentloop.providers.tokens import upper_bound


class CassetteModel:
    """Plays a run's replies back. All models of one run share its cassette, so that each reply is given once."""

    def __init__(self, spec: ModelSpec, means: Means) -> None:
        self.spec = spec
        self.cassette = means.cassette(spec.name)

    @property
    def name(self) -> str:
        """``cassette:run``."""
        return self.spec.model

    @property
    def price(self) -> Price | None:
        """Nothing: it was paid for when it was recorded."""
        return FREE

    def bound(self, request: Request) -> int:
        """An upper bound of the request's input tokens."""
        return upper_bound(request)

    def count(self, request: Request) -> int | None:
        """There is nobody to count."""
        return None

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """The recorded reply. Raises ModelError where there is none: the run took another way than the recorded one."""
        reply = self.cassette.take(request)
        if reply is None:
            left = f"{len(self.cassette)} recorded replies are left"
            raise ModelError(f"the run {self.spec.name} recorded no reply to this request; {left}", retryable=False)
        pulse(len(reply.text))
        return reply
