"""Proof that a sandbox holds on this machine: what must work does, what must not does not."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentloop.core.process import Command, SandboxLevel
from agentloop.host.sandbox.launch import own_python
from agentloop.ports import Sandbox

TIMEOUT = 20.0
PROBE = str(Path(__file__).parent.parent.parent / "kit" / "probe_inside.py")


@dataclass(frozen=True)
class ProbeRow:
    """One trial: what was tried, what must come of it and what did."""

    what: str
    expected: str
    got: str

    @property
    def ok(self) -> bool:
        """Whether it came out as it must."""
        return self.got == self.expected


@dataclass(frozen=True)
class ProbeReport:
    """All trials of a level. A level without a single trial that worked proves nothing and is not `ok`."""

    level: SandboxLevel
    rows: tuple[ProbeRow, ...]
    why: str

    @property
    def ok(self) -> bool:
        """Whether the level may be used."""
        return not self.why


MUST = {
    "run a command": "works",
    "write inside": "works",
    "read inside": "works",
    "write outside": "denied",
    "read a private file outside": "denied",
    "connect by TCP": "denied",
    "send by UDP": "denied",
    "connect to a unix socket": "denied",
    "signal our process": "denied",
    "see our environment": "denied",
}
"""Trial → what must come of it. Those that must work come first: a broken harness denies everything."""


def examine(sandbox: Sandbox) -> ProbeReport:
    """Try `sandbox` out. Never raises for what it finds."""
    with _targets() as (inside, targets):
        command = Command(
            argv=(sys.executable, "-I", "-S", PROBE, json.dumps(targets)),
            cwd=inside,
            env={"PATH": "/usr/bin:/bin"},
            writable=(inside,),
            readable=own_python(),
            timeout=TIMEOUT,
        )
        ran = sandbox.run(command)
        written = Path(inside, "written").is_file()
        escaped = Path(targets["outside"]).exists()
    if not ran.ok:
        return ProbeReport(
            sandbox.level, (), f"a harmless command fails in it: {ran.said} {ran.stderr.text[-300:]}".strip()
        )
    found = _results(ran.stdout.head)
    found["write inside"] = found.get("write inside", "denied") if written else "denied"
    if "write outside" in found:
        # Inside, the folder may be a fresh one of the sandbox's own: what counts is whether the file is there.
        found["write outside"] = "works" if escaped else "denied"
    rows = tuple(ProbeRow(what, expected, found.get(what, "no answer")) for what, expected in MUST.items())
    bad = [row for row in rows if not row.ok]
    return ProbeReport(sandbox.level, rows, "; ".join(f"{row.what}: {row.got}" for row in bad))


def _results(said: bytes) -> dict[str, str]:
    try:
        return {str(what): str(result) for what, result in json.loads(said).items()}
    except ValueError:
        return {}


@contextmanager
def _targets() -> Iterator[tuple[str, dict[str, str]]]:
    """Things outside that a sandboxed process must not reach, each really there: a file, servers, a process."""
    with tempfile.TemporaryDirectory(prefix="agentloop-probe-") as folder:
        inside = os.path.join(folder, "inside")
        os.mkdir(inside)
        private = Path(folder, "private")
        private.write_text("secret")
        path = os.path.join(folder, "socket")
        with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            unix.bind(path)
            unix.listen()
            canary = secrets.token_hex(8)
            bystander = subprocess.Popen(["/bin/sleep", "60"], env={"CANARY": canary})
            try:
                yield (
                    inside,
                    {
                        "outside": os.path.join(folder, "escaped"),
                        "private": str(private),
                        "port": str(tcp.getsockname()[1]),
                        "socket": path,
                        "pid": str(bystander.pid),
                        "canary": canary,
                    },
                )
            finally:
                bystander.kill()
                bystander.wait()
