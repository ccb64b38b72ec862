"""``agentloop schema``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from agentloop.wiring.goalfile import goal_schema_text


def schema(
    what: Annotated[Literal["goal"], typer.Argument(help="Which schema: `goal` is the goal file's.")] = "goal",
) -> None:
    """Print a JSON Schema, for editors and CI."""
    typer.echo(goal_schema_text().rstrip())
