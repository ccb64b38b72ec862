"""``agentloop list``."""

from __future__ import annotations

import typer

from agentloop.cli.parameters import Runs, say
from agentloop.host.runs import list_runs as folders
from agentloop.host.runs import runs_root
from agentloop.wiring.past import glance


def list_runs(runs: Runs = None) -> None:
    """List all runs, oldest first: id, how it ended, ticks, cost, goal."""
    root = runs_root(runs)
    found = folders(root)
    for folder in found:
        typer.echo(glance(folder))
    if not found:
        say(f"no runs in {root}")
