"""The git binary with an environment from nothing. Only plumbing that fires no filter, hook or monitor is ever run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from agentloop.errors import Refused

PLACES = ("/usr/bin", "/bin", "/usr/local/bin")
ENV = {
    "PATH": ":".join(PLACES),
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CEILING_DIRECTORIES": "",
}
"""All variables that git sees: no GIT_* of the user's gets through."""

SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null",
    "-c", "safe.directory=*", "-c", "protocol.allow=never", "-c", "core.alternateRefsCommand=true",
)  # fmt: skip
"""Settings that win over the repository's. What `-c` can't switch off, filters above all, is never triggered."""

AUTHOR = {
    "GIT_AUTHOR_NAME": "agentloop", "GIT_AUTHOR_EMAIL": "agentloop@localhost",
    "GIT_COMMITTER_NAME": "agentloop", "GIT_COMMITTER_EMAIL": "agentloop@localhost",
}  # fmt: skip


class GitError(Exception):
    """git said no; the message is its own."""


def binary() -> str:
    """The git binary. Raises Refused where there is none."""
    for place in PLACES:
        if os.access(os.path.join(place, "git"), os.X_OK):
            return os.path.join(place, "git")
    found = shutil.which("git")
    if found is None:
        raise Refused("git is not installed", "install it, or use `copy:` for a plain folder")
    return found


def git(folder: Path, *argv: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    """What git prints. Raises GitError with what it said where it fails."""
    command = [binary(), *SAFE, *argv]
    done = subprocess.run(
        command, cwd=folder, env={**ENV, **(env or {})}, input=stdin, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise GitError(done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}")
    return done.stdout


def line(folder: Path, *argv: str) -> str:
    """The one line that git prints."""
    return os.fsdecode(git(folder, *argv)).rstrip("\n")
