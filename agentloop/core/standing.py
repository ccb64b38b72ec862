"""Whether a task would use a program that is known not to run here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from agentloop.core.facts import names
from agentloop.core.task import Task

_QUOTED = re.compile(r"`([^`]+)`")
_SHELL_KINDS = ("run", "script", "contains", "io")
"""Kinds of checks whose parameters may hold a command line."""

_SAID = r"\b(?:use|using|run|running|call|calling|with|via|start|execute)\s+(?:the\s+)?{}(?![\w-])"


def used(task: Task, lacking: Iterable[str]) -> list[str]:
    """Those of the programs `lacking` that `task` would use: as its capability, its command line, in a check's command,
    or in its directive, in backquotes or behind a word such as *use* or *run* (``make`` and ``go`` are words too)."""
    quoted = " ".join(_QUOTED.findall(task.directive))
    commands = " ".join(json.dumps(check.params) for check in task.acceptance if check.kind in _SHELL_KINDS)
    if task.capability == "command":
        commands += " " + task.directive
    return sorted(
        name
        for name in lacking
        if name == task.capability
        or names(commands.replace('"', " "), name)
        or names(quoted, name)
        or re.search(_SAID.format(re.escape(name)), task.directive, re.IGNORECASE)
    )
