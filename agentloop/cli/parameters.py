"""Options that several commands share, and how they speak."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentloop.core.events import Event
from agentloop.core.process import SandboxLevel
from agentloop.core.visible import visible
from agentloop.view.life import Life
from agentloop.view.progress import line

Runs = Annotated[str | None, typer.Option("--runs", metavar="DIR", help="Folder that holds the runs.")]
Sandbox = Annotated[
    SandboxLevel | None,
    typer.Option("--sandbox", help="Least acceptable isolation; `none` and `external` only by this word."),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the start of it.")]


LIFE = Life(sys.stderr)
"""Shows that a model is answering."""


def say(text: str) -> None:
    """A line for people, on stderr."""
    LIFE.clear()
    print(visible(text), file=sys.stderr, flush=True)


def watch(event: Event) -> None:
    """One plain line for an event worth knowing of, on stderr."""
    if text := line(event):
        say(text)
