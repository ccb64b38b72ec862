"""Running a command, if policy allows it; the sandbox stands behind the policy."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted, parameters

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


def refusal(argv: tuple[str, ...], commands: tuple[str, ...]) -> str | None:
    """Why `argv` may not be started; None where one of the patterns `commands` allows it.

    A pattern is matched word by word; a last ``*`` stands for any further words. The first word must be the very
    word of the pattern, so that a program of the same name in the tree is another one.
    """
    if not argv:
        return "`argv` is empty; give a program and its arguments"
    if not any(_matches(argv, pattern.split()) for pattern in commands):
        names = sorted({pattern.split()[0] for pattern in commands if pattern})
        return f"{argv[0]!r} with these arguments is not allowed; programs that may be started: {', '.join(names)}"
    return _indirect(argv)


def _matches(argv: tuple[str, ...], pattern: list[str]) -> bool:
    if not pattern or argv[0] != pattern[0]:
        return False
    if pattern[-1] == "*":
        fixed = pattern[:-1]
        return len(argv) >= len(fixed) and all(map(fnmatchcase, argv, fixed))
    return len(argv) == len(pattern) and all(map(fnmatchcase, argv, pattern))


def _indirect(argv: tuple[str, ...]) -> str | None:
    """Ways in which allowed programs start others or write in place."""
    program, rest = argv[0], argv[1:]
    if program == "find":
        bad = ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
        if used := next((word for word in rest if word in bad), None):
            return f"find with {used} is not allowed; list the files and use the other tools"
    if program == "sed" and any(word.startswith(("-i", "--in-place")) for word in rest):
        return "sed -i is not allowed; use the `edit` tool"
    if program == "awk" and any("system(" in word or "| getline" in word for word in rest):
        return "awk that starts programs is not allowed"
    if program == "git" and any(word.startswith(("--output", "-c", "--ext-diff", "--textconv")) for word in rest):
        return "git with options that write or start programs is not allowed"
    return None
