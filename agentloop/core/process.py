"""What a started command was and what became of it, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SandboxLevel = Literal["full", "landlock", "external", "none"]
LEVELS: tuple[SandboxLevel, ...] = ("full", "landlock", "external", "none")
"""Best first."""

HEAD_BYTES, TAIL_BYTES = 64 * 1024, 64 * 1024


@dataclass(frozen=True)
class Command:
    """One process to start. All paths are absolute.

    `env` is the whole environment: nothing is inherited. `writable` folders may be changed, `readable` ones
    (beside the system's own) may be read; all else is out of reach at a sandbox level that can say so.
    `timeout` is in seconds of wall time; when it is over everything that was started dies.
    `stdin` is given to the process and closed.
    """

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str] = field(default_factory=dict)
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    timeout: float = 300.0
    stdin: bytes = b""
    network: bool = False


@dataclass(frozen=True)
class Captured:
    """An output stream: its first and last bytes (HEAD_BYTES, TAIL_BYTES; the tail only where the head could
    not hold it all), the sha256 and the number of all bytes that were written."""

    head: bytes = b""
    tail: bytes = b""
    total: int = 0
    digest: str = ""

    @property
    def text(self) -> str:
        """For people and prompts: undecodable bytes replaced, what was left out named."""
        missing = self.total - len(self.head) - len(self.tail)
        gap = f"\n… {missing} bytes left out …\n" if missing > 0 else ""
        return self.head.decode("utf-8", "replace") + gap + self.tail.decode("utf-8", "replace")


@dataclass(frozen=True)
class Ran:
    """What became of a command: exactly one of `code`, `signal`, `timed_out` and `missing` is set.

    `missing` says why the command could not be started at all (not found, not executable, argument list too
    long …). `killed` counts processes that outlived the command and were ended. `seconds` is wall time.
    """

    code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    missing: str = ""
    stdout: Captured = Captured()
    stderr: Captured = Captured()
    seconds: float = 0.0
    killed: int = 0
    level: SandboxLevel = "none"

    @property
    def ok(self) -> bool:
        """Exited by itself with 0."""
        return self.code == 0

    @property
    def said(self) -> str:
        """What became of it, in words: ``exit code 1``, ``signal 9``, ``timed out``, ``could not start: …``."""
        if self.missing:
            return f"could not start: {self.missing}"
        if self.timed_out:
            return f"timed out after {self.seconds:.1f} s"
        if self.signal is not None:
            return f"ended by signal {self.signal}"
        return f"exit code {self.code}"
