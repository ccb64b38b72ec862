"""Which commands a worker may start. It tells a model early and in words; the sandbox is what holds."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from agentloop.tools.round_about import round_about

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox")


def refusal(argv: tuple[str, ...], commands: tuple[str, ...]) -> str | None:
    """Why `argv` may not be started; None where one of the patterns `commands` allows it.

    A pattern is matched word by word; a last ``*`` stands for any further words. The first word must be the very
    word of the pattern, so that a program of the same name in the tree is another one.
    """
    if not argv or not argv[0]:
        return '`argv` names no program; give a program and its arguments, for example ["pytest", "-q"]'
    if any("\0" in word for word in argv):
        return "`argv` holds a NUL character, which no program can be given"
    patterns = [words for words in map(str.split, commands) if words]
    if any(_matches(argv, words) for words in patterns):
        return round_about(argv)
    return _unnamed(argv, patterns)


def _matches(argv: tuple[str, ...], pattern: list[str]) -> bool:
    if argv[0] != pattern[0]:
        return False
    if pattern[-1] == "*":
        fixed = pattern[:-1]
        return len(argv) >= len(fixed) and all(map(fnmatchcase, argv, fixed))
    return len(argv) == len(pattern) and all(map(fnmatchcase, argv, pattern))


def _unnamed(argv: tuple[str, ...], patterns: Iterable[list[str]]) -> str:
    """No pattern allows `argv`: what would be right instead."""
    program = argv[0]
    near = sorted({" ".join(words) for words in patterns if words[0] == program})
    if near:
        return f"{program!r} with these arguments is not allowed; allowed are: {', '.join(near)}"
    names = ", ".join(sorted({words[0] for words in patterns})) or "none"
    if program.rpartition("/")[2] in SHELLS:
        hint = "there is no shell here: give one program and its arguments, each word an item of the list"
    elif len(argv) == 1 and len(program.split()) > 1:
        hint = "give each word as an item of its own in the list"
    elif "/" in program:
        hint = "name a program without a path"
    else:
        hint = "it is not among the programs that may be started"
    return f"{program!r} is not allowed: {hint}. Programs: {names}"
