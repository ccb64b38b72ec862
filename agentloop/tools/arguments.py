"""What a model sent as arguments: one JSON object of the right shape, or words about what is wrong."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agentloop.ports import DeskError

MAX_BYTES = 1024 * 1024


class Arguments(BaseModel):
    """The base of every tool's parameters: closed, and of exact types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


A = TypeVar("A", bound=Arguments)


def parse(text: str) -> dict[str, Any]:
    """The object in `text`. Raises DeskError for what is no JSON object, has a key twice, or is too large."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise DeskError(f"the arguments have more than {MAX_BYTES} bytes; send less at once")
    try:
        value = json.loads(text or "{}", object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise DeskError(f"the arguments are not JSON ({error}); send one JSON object") from error
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise DeskError("a character in the arguments is half a pair (a lone surrogate); send whole ones") from error
    if not isinstance(value, dict):
        raise DeskError(f"the arguments are {type(value).__name__}, not an object; send one JSON object")
    return value


def fitted(kind: type[A], values: dict[str, Any]) -> A:
    """`values` as the parameters of a tool. Raises DeskError naming each field that is wrong."""
    try:
        return kind.model_validate_json(json.dumps(values))
    except ValidationError as error:
        problems = [_spell(kind, problem) for problem in error.errors(include_url=False)]
        raise DeskError("; ".join(problems)) from error


def parameters(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of a tool's parameters, without titles."""
    schema = kind.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    for held in schema.get("properties", {}).values():
        held.pop("title", None)
    return schema


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"the key {sorted(twice)[0]!r} stands twice")
    return dict(pairs)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _spell(kind: type[Arguments], problem: Any) -> str:
    place = ".".join(map(str, problem["loc"])) or "the object"
    if problem["type"] == "extra_forbidden":
        return f"there is no parameter `{place}`; known: {', '.join(kind.model_fields)}"
    if problem["type"] == "missing":
        return f"the parameter `{place}` is missing"
    found = repr(problem.get("input"))
    return f"`{place}`: {problem['msg'].lower()}; found {found if len(found) < 80 else found[:77] + '…'}"
