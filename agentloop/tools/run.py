"""Running a command, if policy allows it; the sandbox stands behind the policy."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from agentloop.core.process import Captured, Ran
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.command_policy import refusal
from agentloop.tools.described import described

SHOWN = 8_000
"""Characters of each stream that are shown: half of them from its beginning, half from its end."""

_SHELL = re.compile(r"\|\|?|&&?|;|[0-9]*>>?(?:&[0-9])?|<<?|\$\(.*|`.*")


class RunArguments(Arguments):
    """An argument list, and after how many seconds it is ended."""

    argv: list[str] = Field(description='the program and its arguments, e.g. ["pytest", "-q", "tests/test_a.py"]')
    timeout: int = Field(120, ge=1, le=600, description="seconds")


class Run:
    """Run one program with its arguments in the working tree. No shell (no pipes, no redirections), no network."""

    spec = described("run", __doc__, RunArguments)

    def __init__(self, commands: tuple[str, ...]) -> None:
        self._commands = commands

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """What became of it and what it printed."""
        wanted = fitted(RunArguments, arguments)
        argv = tuple(wanted.argv)
        if why := refusal(argv, self._commands):
            raise DeskError(why)
        ran = desk.run(argv, float(wanted.timeout))
        parts = [ran.said + _left(ran), *_literal(argv)]
        for name, stream in (("stdout", ran.stdout), ("stderr", ran.stderr)):
            if stream.total:
                parts.append(f"--- {name}\n{_cut(stream)}")
        return "\n".join(parts)


def _left(ran: Ran) -> str:
    return f"; {ran.killed} processes outlived it and were ended" if ran.killed else ""


def _literal(argv: tuple[str, ...]) -> list[str]:
    """A model that takes the list for a shell's line must not be left to think that it was one."""
    words = [word for word in argv[1:] if _SHELL.fullmatch(word)]
    return [f"(there is no shell: {', '.join(map(repr, words))} went to the program as plain text)"] if words else []


def _cut(stream: Captured) -> str:
    text = visible(stream.text)
    if len(text) <= SHOWN:
        return text
    half = SHOWN // 2
    left = f"… of {stream.total:,} bytes all but the first and the last {half:,} characters are left out …"
    return f"{text[:half]}\n{left}\n{text[-half:]}"
