"""What each plan allows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """`limit` requests within any `window` seconds; a limit of 0 lets nothing through."""

    name: str
    limit: int
    window: float = 60.0


PLANS = {
    "suspended": Plan("suspended", 0),
    "free": Plan("free", 10),
    "standard": Plan("standard", 100),
}


def plan_of(client, subscriptions):
    """The plan that `client` pays for; free for everybody else."""
    return PLANS[subscriptions.get(client, "free")]
