"""``agentloop doctor``."""

from __future__ import annotations

from typing import Annotated

import typer

from agentloop.checks import KINDS
from agentloop.cli.parameters import Runs
from agentloop.wiring.goalfile import load_goal
from agentloop.wiring.health import report
from agentloop.wiring.options import Options
from agentloop.wiring.roster import hired, ping


def doctor(
    ping: Annotated[bool, typer.Option("--ping", help="Ask each model of the goal for one word.")] = False,
    goal: Annotated[str, typer.Option(metavar="GOAL", help="The goal file whose models --ping asks.")] = "goal.yaml",
    runs: Runs = None,
) -> None:
    """Say what is installed, which sandbox levels pass their probe, and which keys are set (never their values).
    With --ping: what each model answers, how fast and for how much; exit 3 where one does not answer."""
    if ping:
        return _ping(goal, runs)
    for line in report():
        typer.echo(line)
    return None


def _ping(goal: str, runs: str | None) -> None:
    found = list(hired(load_goal(goal, KINDS), Options(runs=runs)))
    if not found:
        typer.echo("no models: the goal uses the model-free pair")
    answered = []
    for model in found:
        ok, line = ping(model)
        typer.echo(line)
        answered.append(ok)
    if not all(answered):
        raise typer.Exit(3)
