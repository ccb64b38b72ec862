"""Lets requests through to the service, or says when to come back."""

from dataclasses import dataclass, field

from gateway.limiter import SlidingWindow
from gateway.plans import plan_of


@dataclass
class Response:
    """What the client gets."""

    status: int
    headers: dict = field(default_factory=dict)
    body: str = ""


class Gateway:
    """One window for each client; `clock` gives the time in seconds."""

    def __init__(self, service, subscriptions, clock):
        self._service = service
        self._subscriptions = subscriptions
        self._clock = clock
        self._windows = {}

    def _window(self, client):
        if client not in self._windows:
            self._windows[client] = SlidingWindow(plan_of(client, self._subscriptions))
        return self._windows[client]

    def handle(self, client, path):
        """Answer one request of `client`."""
        now = self._clock()
        window = self._window(client)
        if not window.admit(now):
            return Response(429, {"Retry-After": str(window.retry_after(now))}, "too many requests")
        left = window.plan.limit - window.used(now)
        return Response(200, {"X-RateLimit-Remaining": str(left)}, self._service(path))
