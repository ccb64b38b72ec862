"""``agentloop doctor``."""

from __future__ import annotations

import typer

from agentloop.wiring.health import report


def doctor() -> None:
    """Say what is installed, which sandbox levels pass their probe, and which keys are set (never their values)."""
    for line in report():
        typer.echo(line)
