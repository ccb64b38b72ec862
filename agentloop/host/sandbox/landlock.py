"""Landlock, seccomp and limits: isolation that needs no package."""

from __future__ import annotations

from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.host.sandbox.launch import launch, own_python

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/proc", "/sys/devices/system/cpu")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class LandlockSandbox:
    """Level `landlock`."""

    level: SandboxLevel = "landlock"
    leaves_open = "file modes and times outside can be changed; processes can be seen; no sockets, so no local servers"

    def run(self, command: Command) -> Ran:
        """Reading is limited to the system, the interpreter and `readable`; writing to `writable`."""
        rules = {
            "read": [*SYSTEM, *own_python(), *command.readable],
            "write": [*DEVICES, *command.writable],
        }
        return launch(command, self.level, (), landlock=rules, seccomp=True, sockets=command.network)
