"""What an executor may call. One leaf a file, one line a leaf; a denied or failed call comes back as words."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from agentloop.core.chat import ToolCall
from agentloop.core.globs import matcher
from agentloop.core.plan_rules import unknown
from agentloop.core.screen import Fence, allowed
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError, Tool
from agentloop.tools.arguments import parse
from agentloop.tools.blocks import Blocks
from agentloop.tools.command_policy import refusal
from agentloop.tools.edit import Edit
from agentloop.tools.fetch_artifact import FetchArtifact
from agentloop.tools.list_files import ListFiles
from agentloop.tools.places import MayWrite
from agentloop.tools.read import Read
from agentloop.tools.report import Report, parse_report
from agentloop.tools.run import Run
from agentloop.tools.search import Search
from agentloop.tools.shelf import Shelf
from agentloop.tools.suspects import Locate, Suspects, nowhere
from agentloop.tools.write import Write


@dataclass(frozen=True)
class Policy:
    """What a task's tools may do: why a path may not be written (None: it may), and which commands may start.
    `shelf` holds its long results; `locate` finds suspicious lines."""

    refusal: MayWrite
    commands: tuple[str, ...]
    shelf: Shelf = field(default_factory=Shelf)
    locate: Locate = nowhere


TOOLS: dict[str, Callable[[Policy], Tool]] = {
    "read": lambda policy: Read(),
    "list": lambda policy: ListFiles(),
    "search": lambda policy: Search(),
    "edit": lambda policy: Edit(policy.refusal),
    "write": lambda policy: Write(policy.refusal),
    "run": lambda policy: Run(policy.commands),
    "suspects": lambda policy: Suspects(policy.locate),
    "fetch_artifact": lambda policy: FetchArtifact(policy.shelf),
    "report": lambda policy: Report(),
}
"""Name → what makes the tool."""

BLOCKS = "blocks"
"""The tool that applies an answer's fenced blocks; no model is offered it, its blocks are the call."""


def toolbox(
    names: tuple[str, ...],
    fence: Fence,
    base: Container[str],
    writes: tuple[str, ...],
    commands: tuple[str, ...],
    shelf: Shelf,
    locate: Locate = nowhere,
) -> dict[str, Tool]:
    """The tools called `names`, held to the goal's fence and the task's own `writes`; `base` holds known paths.

    Long results lie on `shelf`, so that `fetch_artifact` is always there, and `blocks` where files may be changed.
    """
    own = matcher(writes) if writes else lambda path: True

    def why_not(path: str) -> str | None:
        if not own(path):
            return f"{path!r} is outside the files of this task: {', '.join(writes)}"
        return allowed(path, fence, path in base)

    policy = Policy(why_not, commands, shelf, locate)
    made = {name: TOOLS[name](policy) for name in dict.fromkeys((*names, "fetch_artifact"))}
    return made | ({BLOCKS: Blocks(why_not)} if {"edit", "write"} & set(names) else {})


def invoke(tools: Mapping[str, Tool], call: ToolCall, desk: Desk) -> tuple[bool, str]:
    """Whether a call was done, and what the model is told. Raises nothing that the model could be to blame for.

    Whatever a tool returns, it is told with control characters as escapes.
    """
    tool = tools.get(call.name)
    if tool is None:
        return False, visible(unknown("tool", call.name[:80], [name for name in tools if name != BLOCKS]))
    try:
        return True, visible(tool.call(parse(call.arguments), desk))
    except DeskError as error:
        return False, visible(str(error))


__all__ = ["BLOCKS", "TOOLS", "Locate", "Policy", "Shelf", "invoke", "parse_report", "refusal", "toolbox"]
