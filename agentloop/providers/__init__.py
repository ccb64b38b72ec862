"""Models behind services and programs. A provider is one file and one line in PROVIDERS; its SDK loads with its first
use."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from agentloop.core.goal import ModelSpec
from agentloop.errors import Refused
from agentloop.ports import Model
from agentloop.providers.endpoint import resolve
from agentloop.providers.means import Means


class Provider(NamedTuple):
    """Where a provider's class is, the variable that holds its key and the address of the service (both empty where
    there is none), what it is and what it needs, in words."""

    leaf: str
    key_env: str
    base_url: str
    what: str
    needs: str


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "agentloop.providers.openai:OpenAIModel",
        "OPENAI_API_KEY",
        "https://api.openai.com/v1",
        "OpenAI, or with `base_url` any server that speaks its chat completions (Ollama, vLLM, llama.cpp, LM Studio, "
        "OpenRouter)",
        "a key; on this machine only `base_url`",
    ),
    "anthropic": Provider(
        "agentloop.providers.anthropic:AnthropicModel",
        "ANTHROPIC_API_KEY",
        "https://api.anthropic.com",
        "Anthropic, or with `base_url` any server that speaks its messages",
        "a key; on this machine only `base_url`",
    ),
    "command": Provider(
        "agentloop.providers.command:CommandModel",
        "",
        "",
        "a program: JSON on its standard input, JSON on its standard output (`claude -p`, `codex exec`, your gateway)",
        "the program, as `command:PROGRAM` or with `argv`",
    ),
    "cassette": Provider(
        "agentloop.providers.cassette:CassetteModel",
        "",
        "",
        "the replies that an earlier run recorded, offline",
        "the run's id, as `cassette:RUN`",
    ),
}
"""Name before the colon of ``provider:model`` → its provider."""


EMBEDDINGS = {
    "openai": "agentloop.providers.openai_embeddings:OpenAIEmbeddings",
    "cassette": PROVIDERS["cassette"].leaf,
}
"""The providers that also have embeddings models → the class of these."""


def load(spec: ModelSpec, means: Means, role: str = "") -> Model:
    """The model that `spec` describes, for `role`; nothing is sent and nothing started.

    Raises Refused for an unknown provider, a missing model name, an unusable address, a missing key, `argv` for
    another provider than `command`, and an embedder of a provider that has none.
    """
    provider = PROVIDERS.get(spec.provider)
    if provider is None or not spec.name.strip():
        raise Refused(
            f"models: {spec.model!r} is not `provider:model` with a known provider",
            f"known providers: {', '.join(PROVIDERS)}; for example `openai:gpt-5-mini`",
        )
    if spec.argv is not None and spec.provider != "command":
        raise Refused(f"models: {spec.model}: `argv` is for the provider `command`", "take it out")
    leaf = EMBEDDINGS.get(spec.provider) if role == "embedder" else provider.leaf
    if leaf is None:
        raise Refused(f"models: embedder: {spec.provider} has no embeddings", f"use one of {', '.join(EMBEDDINGS)}")
    module, _, name = leaf.partition(":")
    build = getattr(import_module(module), name)
    if provider.base_url:
        model: Model = build(spec, resolve(spec, provider.key_env, provider.base_url, means.environ))
    else:
        model = build(spec, means)
    return model
