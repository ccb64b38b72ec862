"""Models behind services. A provider is one file and one line in PROVIDERS; its SDK loads with its first use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from agentloop.core.goal import ModelSpec
from agentloop.errors import Refused
from agentloop.ports import Model
from agentloop.providers.endpoint import resolve


class Provider(NamedTuple):
    """Where a provider's class is, the variable that holds its key, and the address of the service itself."""

    leaf: str
    key_env: str
    base_url: str


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("agentloop.providers.openai:OpenAIModel", "OPENAI_API_KEY", "https://api.openai.com/v1"),
    "anthropic": Provider(
        "agentloop.providers.anthropic:AnthropicModel", "ANTHROPIC_API_KEY", "https://api.anthropic.com"
    ),
}
"""Name before the colon of ``provider:model`` → its provider."""


def load(spec: ModelSpec, environ: Mapping[str, str]) -> Model:
    """The model that `spec` describes, its key taken from `environ`; nothing is sent.

    Raises Refused for an unknown provider, a missing model name, an unusable address or a missing key.
    """
    provider = PROVIDERS.get(spec.provider)
    if provider is None or not spec.name:
        raise Refused(
            f"models: {spec.model!r} is not `provider:model` with a known provider",
            f"known providers: {', '.join(PROVIDERS)}; for example `openai:gpt-5-mini`",
        )
    endpoint = resolve(spec, provider.key_env, provider.base_url, environ)
    module, _, name = provider.leaf.partition(":")
    build = getattr(import_module(module), name)
    model: Model = build(spec, endpoint)
    return model
