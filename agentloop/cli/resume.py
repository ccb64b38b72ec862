"""``agentloop resume``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentloop.cli.parameters import LIFE, RunName, Runs, Sandbox, say, watch
from agentloop.cli.run import print_result
from agentloop.core.usage import NANO
from agentloop.wiring.drive import resume as drive


def resume(
    run: RunName,
    runs: Runs = None,
    sandbox: Sandbox = None,
    usd: Annotated[float | None, typer.Option(min=0, help="New limit, in US dollars, of the whole run.")] = None,
    tokens: Annotated[int | None, typer.Option(min=0, help="New limit of tokens.")] = None,
    ticks: Annotated[int | None, typer.Option(min=1, help="New limit of executed tasks.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="New limit of running time.")] = None,
    tool_calls: Annotated[int | None, typer.Option(min=0, help="New limit of tool calls.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Also bring the result into the checkout.")] = False,
) -> None:
    """Go on with a run from its last record, with higher limits if given."""
    raised: dict[str, Any] = {
        "nano": None if usd is None else round(usd * NANO),
        "tokens": tokens,
        "ticks": ticks,
        "milliseconds": None if minutes is None else round(minutes * 60_000),
        "tool_calls": tool_calls,
    }
    given = {name: value for name, value in raised.items() if value is not None}
    print_result(drive(run, given, runs=runs, sandbox=sandbox, apply=apply, watch=watch, say=say, pulse=LIFE.beat))
