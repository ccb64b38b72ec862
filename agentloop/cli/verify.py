"""``agentloop verify``."""

from __future__ import annotations

from typing import Annotated

import typer

from agentloop.cli.parameters import RunName, Runs, Sandbox
from agentloop.core.visible import visible
from agentloop.host.runs import find_run, runs_root
from agentloop.wiring.options import Options
from agentloop.wiring.verify import audit


def verify(
    run: RunName,
    runs: Runs = None,
    sandbox: Sandbox = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Also take the goal's checks again, here and now.")] = False,
    log: Annotated[bool, typer.Option("--log", help="Look at the log alone.")] = False,
) -> None:
    """Derive a run's success again from its log, trusting no summary. Exit 3 where it does not hold."""
    folder = find_run(runs_root(runs), run)
    holds = True
    for found in audit(folder, Options(runs=runs, sandbox=sandbox), log_only=log, rerun=rerun):
        typer.echo(visible(str(found)))
        holds = holds and found.ok
    if not holds:
        raise typer.Exit(3)
