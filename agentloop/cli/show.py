"""``agentloop show``."""

from __future__ import annotations

from typing import Annotated

import typer

from agentloop.cli.parameters import RunName, Runs
from agentloop.host.runs import find_run, runs_root
from agentloop.wiring.past import account, as_json


def show(
    run: RunName,
    runs: Runs = None,
    json: Annotated[bool, typer.Option("--json", help="As result.json holds it.")] = False,
) -> None:
    """Show what a run did and what its checks say, from its log."""
    folder = find_run(runs_root(runs), run)
    typer.echo(as_json(folder) if json else account(folder))
