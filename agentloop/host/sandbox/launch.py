"""What all levels share: the launcher that reaps, and the command line that starts it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.host.process import execute

CONFINE = str(Path(__file__).parent.parent.parent / "kit" / "confine.py")
GIB = 1024**3
LIMITS = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 4 * GIB, "RLIMIT_NOFILE": 4096}
"""Limits of every command; the names are those of Python's `resource` module."""


def own_python() -> tuple[str, ...]:
    """Folders that the launcher's interpreter, which is our own, must be able to read."""
    real = Path(sys.executable).resolve().parent.parent
    return tuple(dict.fromkeys((sys.prefix, sys.base_prefix, str(real), str(Path(CONFINE).parent))))


def launch(command: Command, level: SandboxLevel, before: tuple[str, ...], **settings: Any) -> Ran:
    """Run `command` under the launcher, itself started by `before` (bubblewrap, say); `settings` go to it."""
    if why := _impossible(command):
        return Ran(missing=why, level=level)
    read, write = os.pipe()
    try:
        config = {"argv": command.argv, "status": write, "limits": LIMITS, "landlock": None, "seccomp": False}
        config |= {"sockets": True, **settings}
        argv = (*before, sys.executable, "-I", "-S", CONFINE, json.dumps(config))
        ran = _run(argv, command, read, write)
    finally:
        os.close(read)
    return replace(ran, level=level)


def _run(argv: tuple[str, ...], command: Command, read: int, write: int) -> Ran:
    try:
        return execute(argv, command.cwd, command.env, command.timeout, command.stdin, read)
    finally:
        os.close(write)


def _impossible(command: Command) -> str:
    """Why the command can't even be tried; empty where it can."""
    words = (*command.argv, *command.env.keys(), *command.env.values())
    if not command.argv or not command.argv[0]:
        return "there is no command"
    if any("\0" in word for word in words):
        return "a NUL character stands in the command or its environment"
    if not os.path.isdir(command.cwd):
        return f"the folder {command.cwd} is gone"
    if any(len(os.fsencode(word)) >= 128 * 1024 for word in words) or sum(map(len, words)) > GIB // 1024:
        return "the argument list is too long"
    return ""
