"""What models cost, from a table that is installed with agentloop: no network, and only as new as the package."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from agentloop.core.goal import ModelSpec
from agentloop.core.usage import FREE, Price
from agentloop.providers.endpoint import Endpoint

TABLE = "genai-prices"

WINDOW = 100_000
"""Tokens, where neither the goal nor the table knows: say `window:` for a small model on a server of your own."""

CHARS = 3
"""Characters to a token: fewer than English and code have on average, so that a conversation rather is too short."""


def price_for(spec: ModelSpec, endpoint: Endpoint) -> Price | None:
    """The price that the goal states, else FREE on this machine, else the table's; None where none is known."""
    if spec.price is not None:
        return spec.price
    if endpoint.loopback:
        return FREE
    return price_of(spec.provider, spec.name, None if endpoint.own else endpoint.base_url)


def price_of(provider: str, model: str, base_url: str | None = None) -> Price | None:
    """The table's price of today; None where the model or, given an address other than the provider's own, the
    service behind it is not in the table. Of prices that rise with the length of a request the highest is taken.
    A model that only reads (for embeddings) has no price for output, which is then 0."""
    info = _info(provider, model, base_url)
    if info is None:
        return None
    prices = info.get_prices(datetime.now(UTC))
    into, out = _highest(prices, "input_mtok"), _highest(prices, "output_mtok")
    if into is None or (out is None and "embedding" not in model):
        return None
    cached, written = _highest(prices, "cache_read_mtok"), _highest(prices, "cache_write_mtok")
    return Price(input=into, output=out or 0.0, cached=cached, written=written)


def window_of(spec: ModelSpec) -> int:
    """Characters of conversation that a model takes: of its window, as the goal or else the table has it, what its
    answer leaves, at CHARS to a token."""
    window = tokens_of(spec)
    return max(window // 4, window - spec.max_output) * CHARS


def tokens_of(spec: ModelSpec) -> int:
    """Tokens of a model's window: the goal's word, else the table's, else WINDOW."""
    info = None if spec.window or spec.base_url else _info(spec.provider, spec.name, None)
    return spec.window or (info.context_window if info else None) or WINDOW


def _info(provider: str, model: str, base_url: str | None) -> Any:
    snapshot = import_module("genai_prices.data_snapshot").get_snapshot()  # late: it holds a megabyte of table
    found = (None, base_url) if base_url else (provider, None)
    try:
        return snapshot.find_provider_model(model, None, *found)[1]
    except LookupError:
        return None


@cache
def dated() -> str:
    """Which table that is, for people: the package and its version."""
    return f"{TABLE} {version(TABLE)}"


def _highest(prices: Any, name: str) -> float | None:
    price: Any = getattr(prices, name, None)
    steps = [price.base, *(tier.price for tier in price.tiers)] if hasattr(price, "tiers") else [price]
    known = [float(step) for step in steps if step is not None]
    return max(known, default=None)
