"""Whether a JSON Schema is one that strict modes take."""

from __future__ import annotations

from typing import Any


def is_strict(schema: Any) -> bool:
    """Every object in it is closed and requires all of its properties: what OpenAI's strict mode demands."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        named = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(named):
            return False
    return all(is_strict(value) for key, value in schema.items() if key not in ("enum", "const", "required"))
