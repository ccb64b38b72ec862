"""``agentloop init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentloop.cli.parameters import say
from agentloop.errors import Refused
from agentloop.wiring.goalfile import goal_schema_text, template


def init(
    path: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("goal.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented goal file that is valid, and its JSON Schema beside it."""
    if path.exists() and not force:
        raise Refused(f"{path} exists already", "choose another name, or replace it with --force")
    try:
        path.write_text(template(), encoding="utf-8")
        path.with_name("goal.schema.json").write_text(goal_schema_text(), encoding="utf-8")
    except OSError as error:
        raise Refused(f"{path} can't be written: {error.strerror}", "choose a folder you may write to") from error
    say(f"wrote {path}; now set `goal` and `accept`, then: agentloop check {path}")
