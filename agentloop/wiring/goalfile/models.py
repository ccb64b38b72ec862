"""The models of a goal file: `provider:model`, a map with options, or a list of fallbacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentloop.core.goal import EDITS, ModelSpec
from agentloop.core.usage import Price
from agentloop.wiring.goalfile.nodes import Node, Problems, Scalar, Sequence
from agentloop.wiring.goalfile.types import MISSING, Choice, Flag, Key, Many, Named, Number, Record, Text, Type


def model_problem(text: str) -> str | None:
    """Why `text` does not name a model."""
    provider, colon, name = text.partition(":")
    if not colon or not provider or not name:
        return f"{text!r} is not `provider:model`; for example `openai:gpt-5-mini`"
    return None


PRICE = Record(
    (
        Key("input", Number(), "–", "US dollars per million input tokens", required=True),
        Key("output", Number(), "–", "US dollars per million output tokens", required=True),
        Key("cached", Number(), "as input", "for input read from the cache"),
        Key("written", Number(), "as input", "for input written to the cache"),
    )
)
MODEL = Record(
    (
        Key("model", Text(200, model_problem), "–", "`provider:model`", required=True),
        Key("base_url", Text(400), "the provider's", "address of the server"),
        Key("key_env", Text(100), "the provider's", "environment variable that holds the key"),
        Key("max_output", Number(16, whole=True, most=1_000_000), "8192", "tokens of one reply at most"),
        Key("temperature", Number(most=2), "the model's", "sampling temperature"),
        Key("price", PRICE, "the table's", "US dollars per million tokens"),
        Key("timeout", Number(above=True, most=3_600), "120", "seconds of one call"),
        Key("argv", Many(Text(2_000), 1), "the words of the model's name", "program of a `command` model"),
        Key("edits", Choice(EDITS), "auto", "how an executor changes files: tool calls, whole fenced blocks, or both"),
        Key("stream", Flag(), "true", "whether the answer is asked for as a stream"),
        Key("window", Number(1024, whole=True, most=10_000_000), "the table's", "tokens that a conversation may have"),
    )
)


@dataclass(frozen=True)
class ModelType:
    """`provider:model`, a map with options, or a list of those (fallbacks, in order)."""

    def read(self, node: Node, problems: Problems) -> Any:
        """A tuple of ModelSpec."""
        if isinstance(node, Sequence):
            read = [self.read(item, problems) for item in node.items if not isinstance(item, Sequence)]
            if not read or len(read) != len(node.items) or any(specs is MISSING for specs in read):
                problems.say(node, "a list of models holds one or more of `provider:model` or maps")
                return MISSING
            return tuple(spec for specs in read for spec in specs)
        if isinstance(node, Scalar):
            name = Text(200, model_problem).read(node, problems)
            return MISSING if name is MISSING else (ModelSpec(model=name),)
        values = MODEL.read(node, problems)
        if values is MISSING or "model" not in values:
            return MISSING
        price = values.pop("price", None)
        return (ModelSpec(**values, price=Price(**price) if price else None),)

    def schema(self) -> dict[str, Any]:
        """Text, object, or an array of both."""
        one = [Text(200).schema(), MODEL.schema()]
        return {"anyOf": [*one, {"type": "array", "minItems": 1, "items": {"anyOf": one}}]}


def models(roles: tuple[str, ...]) -> Type:
    """Role → models."""
    return Named(ModelType(), roles)
