from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agentloop.core.goal import ModelSpec
from agentloop.ports import Model
from agentloop.providers import load
from agentloop.providers.means import Means
from tests.wire import WireReply, WireServer, anthropic_reply, openai_reply

KEY = "test-key-0123456789"


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture
def openai_model(wire: WireServer) -> Model:
    return load(ModelSpec(model="openai:m", base_url=wire.openai_url, timeout=5.0), Means({"OPENAI_API_KEY": KEY}))


@pytest.fixture
def anthropic_model(wire: WireServer) -> Model:
    return load(
        ModelSpec(model="anthropic:m", base_url=wire.anthropic_url, timeout=5.0), Means({"ANTHROPIC_API_KEY": KEY})
    )


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def either(provider: str, wire: WireServer) -> Callable[..., Model]:
    """Builds a model of either provider that talks to the scripted server."""

    def build(**spec: Any) -> Model:
        url = wire.openai_url if provider == "openai" else wire.anthropic_url
        values = {"model": f"{provider}:m", "base_url": url, "timeout": 5.0, **spec}
        return load(ModelSpec(**values), Means({f"{provider.upper()}_API_KEY": KEY}))

    return build


@pytest.fixture
def reply(provider: str) -> Callable[..., WireReply]:
    return openai_reply if provider == "openai" else anthropic_reply
