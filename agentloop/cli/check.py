"""``agentloop check``."""

from __future__ import annotations

from typing import Annotated

import typer

from agentloop.cli.parameters import Sandbox, say
from agentloop.wiring.dry import preflight


def check(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="The goal file.")] = "goal.yaml",
    sandbox: Sandbox = None,
    dirty: Annotated[bool, typer.Option("--dirty", help="Take uncommitted changes along.")] = False,
) -> None:
    """Say for each check of a goal whether it is usable, with no model. Exit 3 where one is not."""
    usable = preflight(goal, sandbox=sandbox, dirty=dirty, say=say, tell=typer.echo)
    if not usable:
        raise typer.Exit(3)
