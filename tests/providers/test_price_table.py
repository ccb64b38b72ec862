"""The table of prices that comes with the installation."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentloop.core.usage import Usage
from agentloop.providers.prices import dated, price_of


@pytest.mark.parametrize(("provider", "model"), [("openai", "gpt-4o-mini"), ("anthropic", "claude-sonnet-4-5")])
def test_known_models_have_whole_prices(provider: str, model: str) -> None:
    """In dollars per million tokens; what is read from a cache is cheaper, output is dearer."""
    price = price_of(provider, model)
    assert price is not None
    assert price.cached is not None
    assert 0 < price.cached < price.input < price.output < 1000


def test_of_a_price_that_rises_with_length_the_highest_counts() -> None:
    """A worst case that is reserved must be one."""
    price = price_of("anthropic", "claude-sonnet-4-5")
    assert price is not None
    assert price.input == 6
    assert price.cost(Usage(uncached=1_000_000)) == 6_000_000_000


def test_unknown_models_have_none() -> None:
    """None is not free."""
    assert price_of("openai", "no-such-model") is None
    assert price_of("no-such-provider", "gpt-4o") is None
    assert price_of("openai", "gpt-4o", "https://gateway.test/v1") is None


def test_a_service_in_the_table_is_found_by_its_address() -> None:
    """Many speak OpenAI's format under their own prices."""
    assert price_of("openai", "llama-3.3-70b-versatile", "https://api.groq.com/openai/v1") is not None


def test_the_table_needs_no_network() -> None:
    """A process that dies at the first look at a socket finds the price all the same."""
    code = """
import os, sys
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        os._exit(9)
sys.addaudithook(watch)
from agentloop.providers.prices import price_of
print(price_of("openai", "gpt-4o-mini").output > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr


def test_the_table_says_which_it_is() -> None:
    """So that a report can say how old its prices may be."""
    name, _, number = dated().partition(" ")
    assert name == "genai-prices"
    assert number[0].isdigit()
