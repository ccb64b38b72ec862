"""Reading what a model sent as arguments: text that nobody may trust."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agentloop.core.plan_rules import unknown
from agentloop.ports import DeskError

MAX_BYTES = 1024 * 1024

MOST = 8
"""Faults that are told at once."""


class Arguments(BaseModel):
    """Base of every tool's parameters: nothing is converted, nothing unknown is taken."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


A = TypeVar("A", bound=Arguments)


def parse(text: str) -> dict[str, Any]:
    """The object in `text`; none at all stands for an empty one.

    Raises DeskError for what is no JSON object, has a key twice, is larger than MAX_BYTES or is no Unicode text.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise DeskError(f"the arguments have more than {MAX_BYTES:,} bytes; send less at once")
    try:
        value = json.loads(text.strip() or "{}", object_pairs_hook=_once, parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise DeskError("a character in the arguments is half a pair (a lone surrogate); send whole ones") from error
    except (ValueError, RecursionError) as error:
        raise DeskError(f"the arguments are not JSON ({error}); send one JSON object") from error
    if not isinstance(value, dict):
        raise DeskError(f"the arguments are {type(value).__name__}, not an object; send one JSON object")
    return value


def fitted(kind: type[A], values: dict[str, Any]) -> A:
    """`values` as the parameters `kind`. Raises DeskError naming each field, what was found and what is right."""
    try:
        return kind.model_validate_json(json.dumps(values))
    except ValidationError as error:
        problems = error.errors(include_url=False)
        told = [_spell(kind, values, problem) for problem in problems[:MOST]]
        more = [f"and {len(problems) - MOST} more mistakes"] if len(problems) > MOST else []
        raise DeskError("; ".join([*told, *more])) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:60]!r} stands twice")
        found[name] = value
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _spell(kind: type[Arguments], values: Any, problem: Any) -> str:
    place = ".".join(map(str, problem["loc"])) or "arguments"
    if problem["type"] == "extra_forbidden":
        place = _cut(place, 60)
        nested = len(problem["loc"]) > 1
        return f"unknown parameter {place!r}" if nested else unknown("parameter", place, kind.model_fields)
    if problem["type"] == "missing":
        return f"the parameter `{place}` is missing"
    found = values
    for step in problem["loc"]:
        found = found[step]
    return f"`{place}`: {problem['msg'].lower()}; found {_cut(json.dumps(found, ensure_ascii=False), 80)}"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
