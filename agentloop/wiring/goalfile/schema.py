"""The goal file's JSON Schema, made from the table of keys. Run this module to write the shipped copy anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentloop.wiring.goalfile.keys import goal_record

SHIPPED = Path(__file__).parent / "goal.schema.json"
"""The copy that is shipped; a test compares it."""


def goal_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of a goal file as YAML readers load it."""
    record = goal_record(lambda kind, params: []).schema()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "agentloop goal file"}
    return {**head, **record, "not": {"required": ["repo", "copy"]}}


def goal_schema_text() -> str:
    """The same as text, ending with a newline."""
    return json.dumps(goal_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SHIPPED.write_text(goal_schema_text(), encoding="utf-8")
