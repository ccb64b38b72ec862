"""``agentloop models``."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentloop.checks import KINDS
from agentloop.cli.parameters import Runs
from agentloop.wiring.goalfile import load_goal
from agentloop.wiring.options import Options
from agentloop.wiring.roster import described, hired, providers


def models(
    goal: Annotated[str | None, typer.Argument(metavar="[GOAL]", help="A goal file whose models to look at.")] = None,
    runs: Runs = None,
) -> None:
    """List the model providers, what each needs and whether it is set; with a goal, its models and their prices.
    Exit 3 where one of these can't be used."""
    if goal is None:
        for line in providers(os.environ):
            typer.echo(line)
        return
    found = list(hired(load_goal(goal, KINDS), Options(runs=runs)))
    for model in found:
        typer.echo(described(model))
    if not found:
        typer.echo("no models: the goal uses the model-free pair")
    if any(model.trouble for model in found):
        raise typer.Exit(3)
