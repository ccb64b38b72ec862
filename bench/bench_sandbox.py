"""What isolation costs: the time to start `true` at each level, as a ratio to a plain process of the same run."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial

from agentloop.core.process import Command
from agentloop.host.sandbox import MAKERS
from agentloop.host.sandbox.launch import own_python

ROUNDS = 30


def median(action: Callable[[], object]) -> float:
    """Milliseconds of one call, the median of ROUNDS."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        action()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    """Print one line a level."""
    plain = median(lambda: subprocess.run(["/bin/true"], check=True))
    print(f"plain process: {plain:.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        command = Command(("true",), folder, {"PATH": "/usr/bin:/bin"}, (folder,), own_python())
        for level, make in MAKERS.items():
            if level != "external":
                took = median(partial(make().run, command))
                print(f"{level}: {took:.1f} ms, {took / plain:.1f} times plain, {took - plain:.1f} ms more")


if __name__ == "__main__":
    main()
