"""``agentloop run``."""

from __future__ import annotations

from typing import Annotated

import typer

from agentloop.cli.parameters import LIFE, Runs, Sandbox, say, watch
from agentloop.wiring.drive import Finished
from agentloop.wiring.drive import run as drive


def run(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="The goal file.")] = "goal.yaml",
    runs: Runs = None,
    sandbox: Sandbox = None,
    cassette: Annotated[
        str | None, typer.Option(metavar="RUN", help="Take the replies that this run recorded, and ask no model.")
    ] = None,
    dirty: Annotated[bool, typer.Option("--dirty", help="Take uncommitted changes along.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Also bring the result into the checkout.")] = False,
) -> None:
    """Work on a goal until its checks pass, or stop loudly. Prints the branch (or the patch) on success."""
    print_result(
        drive(
            goal,
            runs=runs,
            sandbox=sandbox,
            cassette=cassette,
            dirty=dirty,
            apply=apply,
            watch=watch,
            say=say,
            pulse=LIFE.beat,
        )
    )


def print_result(finished: Finished) -> None:
    """The summary on stderr, the result on stdout."""
    say(str(finished.summary))
    typer.echo(finished.branch or str(finished.patch))
