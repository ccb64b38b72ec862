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


def price_for(spec: ModelSpec, endpoint: Endpoint) -> Price | None:
    """The price that the goal states, else FREE on this machine, else the table's; None where none is known."""
    if spec.price is not None:
        return spec.price
    if endpoint.loopback:
        return FREE
    return price_of(spec.provider, spec.name, None if endpoint.own else endpoint.base_url)


def price_of(provider: str, model: str, base_url: str | None = None) -> Price | None:
    """The table's price of today; None where the model or, given an address other than the provider's own, the
    service behind it is not in the table. Of prices that rise with the length of a request the highest is taken."""
    snapshot = import_module("genai_prices.data_snapshot").get_snapshot()  # late: it holds a megabyte of table
    found = (None, base_url) if base_url else (provider, None)
    try:
        _, info = snapshot.find_provider_model(model, None, *found)
    except LookupError:
        return None
    prices = info.get_prices(datetime.now(UTC))
    into, out = _highest(prices, "input_mtok"), _highest(prices, "output_mtok")
    if into is None or out is None:
        return None
    cached, written = _highest(prices, "cache_read_mtok"), _highest(prices, "cache_write_mtok")
    return Price(input=into, output=out, cached=cached, written=written)


@cache
def dated() -> str:
    """Which table that is, for people: the package and its version."""
    return f"{TABLE} {version(TABLE)}"


def _highest(prices: Any, name: str) -> float | None:
    price: Any = getattr(prices, name, None)
    steps = [price.base, *(tier.price for tier in price.tiers)] if hasattr(price, "tiers") else [price]
    known = [float(step) for step in steps if step is not None]
    return max(known, default=None)
