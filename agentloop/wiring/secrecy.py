"""Whether hidden checks can be kept from those who work: refused before the run where they can't."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentloop.core.goal import Goal
from agentloop.core.process import SandboxLevel
from agentloop.errors import Refused
from agentloop.host.sandbox.landlock import SYSTEM

OPEN: tuple[SandboxLevel, ...] = ("external", "none")
"""Levels at which a worker's commands can read what we can read."""


def refuse_exposed(goal: Goal, level: SandboxLevel, readable: Iterable[str], models: bool) -> None:
    """Raise Refused where a model's commands could read the hidden checks: without a sandbox of our own, or in a folder
    that every sandbox shows (`readable`, and the system's)."""
    if not goal.hidden:
        return
    if models and level in OPEN:
        raise Refused(
            f"hidden: in the sandbox {level!r} a worker's commands can read all of this machine, these checks too",
            "take `sandbox: landlock` or `full`, or leave `hidden` out",
        )
    home = Path(goal.home)
    folder = (home / goal.hidden_from).parent if goal.hidden_from else home
    kept = [home / goal.hidden_from] if goal.hidden_from else []
    kept += [folder / file.path for spec in goal.hidden for file in spec.files]
    for path in kept:
        for shown in (*readable, *SYSTEM):
            if path.resolve().is_relative_to(Path(shown).resolve()):
                raise Refused(
                    f"hidden: {path} lies in {shown}, which a worker's commands can read in every sandbox",
                    "move the hidden checks elsewhere, such as beside the repository",
                )
