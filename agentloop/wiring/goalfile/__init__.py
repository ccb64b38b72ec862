"""The goal file: read strictly, all mistakes told at once with their places."""

from __future__ import annotations

from agentloop.wiring.goalfile.keys import key_table
from agentloop.wiring.goalfile.reading import goal_from, load_goal, read_goal
from agentloop.wiring.goalfile.schema import goal_schema, goal_schema_text
from agentloop.wiring.goalfile.template import template

__all__ = ["goal_from", "goal_schema", "goal_schema_text", "key_table", "load_goal", "read_goal", "template"]
