"""The plan as a planner writes it: its JSON Schema, and the way from text to a Plan."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from agentloop.core.task import Plan

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def _closed(properties: dict[str, Any], description: str = "") -> dict[str, Any]:
    """An object whose properties are all required: what the strict modes of the providers take."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


CHECK = _closed(
    {
        "kind": {**_TEXT, "description": "a check kind from the list"},
        "params": {**_TEXT, "description": "its parameters: plain text, or a JSON object or list as text"},
        "expect": {"type": "string", "enum": ["green", "red"]},
    }
)
TASK = _closed(
    {
        "id": {**_TEXT, "description": "short and new, e.g. fix-rounding"},
        "capability": _TEXT,
        "directive": {**_TEXT, "description": "what to do, where, and what must stay as it is"},
        "toward": {**_TEXTS, "description": "names of the unmet goal checks that this serves"},
        "reads": {**_TEXTS, "description": "globs of files that matter"},
        "writes": {**_TEXTS, "description": "globs of files that it may change"},
        "needs": {**_TEXTS, "description": "ids of tasks whose findings it needs"},
        "assumes": {**_TEXTS, "description": "ids of assumptions that it rests on"},
        "may_break": {**_TEXTS, "description": "names of goal checks that it may turn red; rarely any"},
        "acceptance": {"type": "array", "items": CHECK},
        "expected_cost": {"type": "number", "description": "US dollars; 0 where unknown"},
    }
)
PLAN = _closed(
    {
        "catalogue": {**_TEXT, "description": "the version of the catalogue that the plan is made with"},
        "roadmap": {**_TEXT, "description": "what remains to be done after these tasks"},
        "assumptions": {
            "type": "array",
            "items": _closed(
                {
                    "id": _TEXT,
                    "text": _TEXT,
                    "checks": {"type": "array", "items": CHECK, "description": "none, or one that tells by itself"},
                }
            ),
        },
        "tasks": {"type": "array", "items": TASK},
    },
    "the next one to three tasks",
)


def read_plan(text: str, catalogue: str) -> tuple[Plan | None, list[str]]:
    """The plan in `text` and what is wrong with it, in the planner's own words; one of the two is empty. A plan that
    names no catalogue is for `catalogue`, the one that was shown."""
    value = first_object(text)
    if value is None:
        return None, ["there is no JSON object in the answer; answer with one JSON object of the schema"]
    for check in _checks(value, "tasks", "acceptance") + _checks(value, "assumptions", "checks"):
        check["params"] = _params(check.get("params"))
    try:
        return Plan.model_validate_json(json.dumps({**value, "catalogue": value.get("catalogue") or catalogue})), []
    except ValidationError as error:
        return None, [_spell(problem) for problem in error.errors(include_url=False)]


def _checks(value: dict[str, Any], many: str, key: str) -> list[dict[str, Any]]:
    holders = value.get(many)
    found = [holder.get(key) for holder in holders if isinstance(holder, dict)] if isinstance(holders, list) else []
    return [check for checks in found if isinstance(checks, list) for check in checks if isinstance(check, dict)]


def _params(value: Any) -> Any:
    """Parameters arrive as text; text that is a JSON object or list stands for that."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _spell(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    found = repr(problem.get("input"))
    return f"{place}: {problem['msg']}; found {found if len(found) < 120 else found[:117] + '…'}"


def first_object(text: str) -> dict[str, Any] | None:
    """The first whole JSON object in `text`, whatever prose or fences stand around it."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = text.find("{", start + 1)
    return None
