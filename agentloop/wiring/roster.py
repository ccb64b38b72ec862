"""Which providers there are and which models a goal names, for `agentloop models` and `agentloop doctor --ping`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from agentloop.core.chat import Message, Request
from agentloop.core.goal import Goal, ModelSpec
from agentloop.core.usage import Price, dollars
from agentloop.errors import Refused
from agentloop.ports import Model, ModelError
from agentloop.providers import PROVIDERS, load
from agentloop.providers.means import Means
from agentloop.providers.prices import dated
from agentloop.wiring.options import Options
from agentloop.wiring.past import cassette

WORD = Request(system="", messages=(Message(role="user", text="Answer with the one word: pong"),), max_output=256)
"""What a ping asks. Models that think first need more than a word's room."""


@dataclass(frozen=True)
class Hired:
    """A model that a goal names; `trouble` says why it can't be asked, `model` is None then."""

    role: str
    spec: ModelSpec
    model: Model | None
    trouble: str = ""


def providers(environ: Mapping[str, str]) -> list[str]:
    """A line or two for each provider: what it is, what it needs, and whether that is set (never its value)."""
    lines = []
    for name, provider in PROVIDERS.items():
        lines.append(f"{name:<10} {provider.what}")
        state = ""
        if provider.key_env:
            state = f"; {provider.key_env} is {'set' if environ.get(provider.key_env, '').strip() else 'not set'}"
        lines.append(f"{'':<10} needs {provider.needs}{state}")
    return lines


def hired(goal: Goal, options: Options) -> Iterator[Hired]:
    """Each model of `goal`, whether it can be asked or not."""
    means = Means(options.environ, goal.home, lambda name: cassette(options.runs, name))
    for role, chain in goal.models.items():
        for spec in chain:
            try:
                yield Hired(role, spec, load(spec, means, role))
            except Refused as refusal:
                yield Hired(role, spec, None, str(refusal))


def described(found: Hired) -> str:
    """One model on one line: its role, its name, what it costs, what is wrong with it."""
    name = f"{found.role:<9} {found.spec.model}"
    return f"{name}: {_price(found)}" if found.model else f"{name}: {found.trouble}"


def _price(found: Hired) -> str:
    price: Price | None = found.model.price if found.model else None
    if price is None:
        return "price unknown; a budget in usd needs `price:`"
    if found.spec.price is not None:
        source = "stated in the goal"
    elif price.input == price.output == 0:
        source = "nothing is paid there"
    else:
        source = dated()
    return f"${price.input:g} in, ${price.output:g} out per million tokens ({source})"


def ping(found: Hired, clock: Callable[[], float] = time.monotonic) -> tuple[bool, str]:
    """Ask a model for one word: whether it answered, and its answer, latency and cost in words."""
    name = f"{found.role:<9} {found.spec.model}"
    if found.model is None:
        return False, f"{name}: {found.trouble}"
    started = clock()
    try:
        reply = found.model.ask(WORD)
    except ModelError as error:
        return False, f"{name}: {error.reason}"
    took = clock() - started
    cost = dollars(found.model.price.cost(reply.usage)) if found.model.price else "price unknown"
    said = " ".join(reply.text.split())[:40]
    noticed = f" ({'; '.join(reply.noticed)})" if reply.noticed else ""
    return bool(said), f"{name}: {said!r} in {took:.1f} s, {reply.usage.tokens} tokens, {cost}{noticed}"
