"""No isolation, by the user's explicit word. What a command starts is reaped all the same."""

from __future__ import annotations

from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.host.sandbox.launch import launch


class PlainSandbox:
    """Level `none`."""

    level: SandboxLevel = "none"
    leaves_open = "everything"

    def run(self, command: Command) -> Ran:
        """Run it as the user; when it ends, so does all that it started."""
        return launch(command, self.level, ())


class ExternalSandbox(PlainSandbox):
    """Level `external`: the user says that the container around us is the sandbox."""

    level: SandboxLevel = "external"
    leaves_open = "whatever the container around it leaves open"
