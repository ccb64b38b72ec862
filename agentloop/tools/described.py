"""A tool as a model is shown it, made from the tool's docstring and the model of its parameters."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.tools.arguments import Arguments


def described(name: str, doc: str | None, kind: type[Arguments]) -> ToolSpec:
    """The spec of the tool `name`: its docstring on one line, and the JSON Schema of its parameters."""
    return ToolSpec(name=name, description=" ".join((doc or "").split()), parameters=parameters(kind))


def parameters(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of `kind`: closed objects, no titles, and nothing behind a ``$ref``, which few servers follow."""
    schema = kind.model_json_schema()
    return _plain(schema, schema.get("$defs", {}))


def _plain(node: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _plain(named[node["$ref"].rpartition("/")[2]], named)
    kept = {key: value for key, value in node.items() if key not in ("title", "$defs")}
    if "properties" in kept:
        kept.pop("description", None)  # the docstring of the model, which speaks to us
        kept["properties"] = {name: _plain(held, named) for name, held in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _plain(kept["items"], named)
    return kept
