"""What a signal does to a command that is at work."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, typer
from agentloop.cli.app import main
app = typer.Typer()
@app.command()
def work():
    os.kill(os.getpid(), int(sys.argv[1]))
main([], app)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_decides_the_exit_code_wherever_it_arrives(number: signal.Signals) -> None:
    """Also outside a run, inside typer's own handling: 128 plus the signal's number, and no traceback."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(int(number))], capture_output=True, text=True, timeout=60)
    assert done.returncode == 128 + number
    assert "Traceback" not in done.stderr
