"""Counts processor time, inside the sandbox and out."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

BURN = "import time\nwhile time.process_time() < 0.4: pass"


def busy(slots: int) -> float:
    """How many times longer so many processes take than on an idle machine; 1 where they have it for themselves.

    Limits of a search are wall time; on a machine that is shared they are stretched by this, so that what is measured
    is the search, not the neighbours.
    """
    plain = _burnt(1, "pass")
    return max(1.0, (_burnt(slots, BURN) - plain) / 0.4)


def _burnt(slots: int, program: str) -> float:
    began = time.monotonic()
    running = [subprocess.Popen([sys.executable, "-I", "-S", "-c", program]) for _ in range(slots)]
    for process in running:
        process.wait()
    return time.monotonic() - began


METER = """
import contextlib, ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what is left of its children becomes ours
code = subprocess.call(sys.argv[2:])
with contextlib.suppress(ChildProcessError):
    while os.waitpid(-1, os.WNOHANG)[0]:
        pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(str(used.ru_utime + used.ru_stime))
sys.exit(code if code >= 0 else 1)
"""
"""Runs a command and writes what it cost; from outside, what runs in the sandbox can't be counted."""


class Meter:
    """Processor seconds of everything that was launched, and of this process."""

    def __init__(self, scratch: str, slots: int) -> None:
        self.out = os.path.join(scratch, "meter")
        self._slots, self._launched = slots, 0.0

    def add(self, seconds: float) -> None:
        """Count a launch that took so many seconds of wall time; one that was cut off counts in full."""
        path = Path(self.out)
        self._launched += float(path.read_text()) if path.exists() else seconds * self._slots
        path.unlink(missing_ok=True)

    @property
    def spent(self) -> float:
        """Everything so far."""
        return self._launched + time.process_time()
