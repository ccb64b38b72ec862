"""Running a command, if policy allows it; the sandbox stands behind the policy."""

from __future__ import annotations

from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted, parameters
from agentloop.tools.command_policy import refusal

SHOWN = 8_000
MOST_SECONDS = 600


class RunArguments(Arguments):
    """An argument list (no shell), and seconds after which it is ended."""

    argv: list[str]
    timeout: int = 120


class Run:
    """Run one program with its arguments, without a shell, in the working tree. No network."""

    spec = ToolSpec(
        name="run",
        description="Run one program with its arguments (a list, no shell) in the working tree. No network.",
        parameters=parameters(RunArguments),
    )

    def __init__(self, commands: tuple[str, ...]) -> None:
        self._commands = commands

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """What became of it and what it printed."""
        wanted = fitted(RunArguments, arguments)
        argv = tuple(wanted.argv)
        if why := refusal(argv, self._commands):
            raise DeskError(why)
        ran = desk.run(argv, min(max(1, wanted.timeout), MOST_SECONDS))
        parts = [ran.said]
        for name, stream in (("stdout", ran.stdout), ("stderr", ran.stderr)):
            if stream.total:
                parts.append(f"--- {name}\n{_cut(visible(stream.text))}")
        return "\n".join(parts)


def _cut(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    half = SHOWN // 2
    return f"{text[:half]}\n… {len(text) - SHOWN} characters left out …\n{text[-half:]}"
