"""Loading a model: what it needs, what is refused, and what is not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentloop.core.cassette import Cassette
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import FREE, Price
from agentloop.errors import Refused
from agentloop.ports import Model
from agentloop.providers import PROVIDERS, load
from agentloop.providers.means import Means


def test_importing_the_package_imports_no_sdk() -> None:
    """They take a second or two, which commands that ask no model must not pay."""
    code = (
        "import sys, agentloop.providers, agentloop.providers.retry; "
        "print(*{'openai', 'anthropic', 'genai_prices', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_model_on_this_machine_needs_no_table_of_prices() -> None:
    """The table takes long to load, and so does the other provider's SDK."""
    code = """
import sys
from agentloop.core.goal import ModelSpec
from agentloop.providers import load
from agentloop.providers.means import Means
print(load(ModelSpec(model="openai:m", base_url="http://127.0.0.1:1/v1"), Means({})).price)
print(*{"anthropic", "genai_prices"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == ""


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_registered_provider_loads(name: str) -> None:
    """With its own variable set, and with its own service as the address."""
    means = Means({PROVIDERS[name].key_env: "k"}, cassette=lambda run: Cassette(run, ()))
    model: Model = load(ModelSpec(model=f"{name}:some-model"), means)
    assert model.name == f"{name}:some-model"
    assert model.price == (FREE if name == "cassette" else None)


@pytest.mark.parametrize("model", ["", "gpt-5", "nobody:gpt-5", "openai:", ":x"])
def test_an_unknown_provider_is_refused_with_the_known_ones(model: str) -> None:
    """Whoever mistypes sees what would be right."""
    with pytest.raises(Refused, match="openai, anthropic"):
        load(ModelSpec(model=model), Means({"OPENAI_API_KEY": "k"}))


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        ({"model": "openai:m"}, "OPENAI_API_KEY"),
        ({"model": "anthropic:m"}, "ANTHROPIC_API_KEY"),
        ({"model": "openai:m", "base_url": "http://gateway.test/v1"}, "OPENAI_API_KEY"),
        ({"model": "openai:m", "base_url": "http://127.0.0.1:1/v1", "key_env": "MINE"}, "MINE"),
        ({"model": "openai:m", "base_url": "http://127.0.0.1.test:1/v1"}, "OPENAI_API_KEY"),
    ],
)
def test_a_missing_key_is_refused_by_the_name_of_its_variable(spec: dict[str, str], variable: str) -> None:
    """Only a server on this machine, with no variable named, needs no key. An empty value is a missing one."""
    for environ in ({}, {variable: " "}):
        with pytest.raises(Refused, match=variable):
            load(ModelSpec(**spec), Means(environ))


@pytest.mark.parametrize("key", ["two words", "snow☃", "a\nb"])
def test_a_value_that_can_not_be_a_key_is_refused_without_being_shown(key: str) -> None:
    """It would end as a broken header; it may still be a secret."""
    with pytest.raises(Refused) as caught:
        load(ModelSpec(model="openai:m"), Means({"OPENAI_API_KEY": key}))
    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["gateway/v1", "ftp://gateway/v1", "http://", "http://h:99999/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(Refused, match="is not an address"):
        load(ModelSpec(model="openai:m", base_url=url), Means({"OPENAI_API_KEY": "k"}))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "[::1]", "a.localhost"])
def test_a_server_on_this_machine_is_free_unless_a_price_is_stated(host: str) -> None:
    """What the goal says wins."""
    stated = Price(input=1, output=2)
    spec = ModelSpec(model="openai:gpt-4o", base_url=f"http://{host}:8080/v1")
    assert load(spec, Means({})).price == FREE
    assert load(spec.model_copy(update={"price": stated}), Means({})).price == stated


def test_a_known_model_at_an_unknown_service_has_no_price() -> None:
    """Somebody else's price for the same name is not known."""
    environ = {"OPENAI_API_KEY": "k"}
    assert load(ModelSpec(model="openai:gpt-4o", base_url="https://gateway.test/v1"), Means(environ)).price is None
    assert load(ModelSpec(model="openai:gpt-4o"), Means(environ)).price is not None
