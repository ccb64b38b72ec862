"""Bubblewrap: namespaces of its own, minimal read-only mounts, a loopback of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.host.sandbox.launch import launch, own_python

PLACES = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")
"""Where the binary may lie: never a PATH that a worker could write to."""

SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "passwd", "group", "nsswitch.conf", "hosts", "host.conf", "localtime",
    "timezone", "ssl", "ca-certificates", "pki", "alternatives", "mime.types", "protocols", "services",
    "os-release", "java-17-openjdk", "python3", "python3.11", "perl",
)  # fmt: skip
SHARED = 256 * 1024 * 1024
"""Bytes of /tmp and of /dev/shm, each."""


class BubblewrapSandbox:
    """Level `full`. `binary` is taken from PLACES unless it is given."""

    level: SandboxLevel = "full"
    leaves_open = "the kernel itself; CPU and memory are not limited"

    def __init__(self, binary: str | None = None) -> None:
        self.binary = binary or next((place for place in PLACES if os.access(place, os.X_OK)), None)

    def run(self, command: Command) -> Ran:
        """Run it in namespaces of its own; when it ends, or we do, the kernel ends all that is in them."""
        if self.binary is None:
            return Ran(missing="bubblewrap is not installed", level=self.level)
        if not os.path.isdir(command.cwd):
            return Ran(missing=f"the folder {command.cwd} is gone", level=self.level)
        return launch(command, self.level, (self.binary, *_arguments(command)), seccomp=True, sockets=True)


def _arguments(command: Command) -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
    if command.network:
        yield from ("--share-net", "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf")
    yield from ("--ro-bind", "/usr", "/usr", "--ro-bind-try", "/opt", "/opt", "--dir", "/etc")
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for name in ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev", "--size", str(SHARED), "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--size", str(SHARED), "--tmpfs", "/tmp")  # noqa: S108 -- the sandbox's own
    for path in _outermost((*own_python(), *command.readable)):
        yield from ("--ro-bind-try", path, path)
    for path in command.writable:
        yield from ("--bind", path, path)
    yield from ("--chdir", command.cwd, "--")


def _outermost(paths: tuple[str, ...]) -> list[str]:
    """`paths` without those that lie in another of them, or in what is mounted anyway."""
    given = [Path("/usr"), Path("/opt")]
    for path in sorted({Path(path) for path in paths}):
        if not any(path.is_relative_to(other) for other in given):
            given.append(path)
    return [str(path) for path in given[2:]]
