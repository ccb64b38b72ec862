"""The example goals with a real small model on this machine: ``make try-local MODEL=model.gguf``.

Starts a llama.cpp server (package xllamacpp, installed by the make target) for a GGUF file, or uses the server at an
address, and runs each goal of tasks/ by the OpenAI and by the Anthropic protocol, planner and executor the same model.
Prints a Markdown table of what became of each run. Slow: minutes a run, which is why no test does it.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import agentloop
from agentloop.checks import KINDS
from agentloop.core.goal import Goal, ModelSpec
from agentloop.errors import Stopped
from agentloop.wiring.goalfile import load_goal

TASKS = Path(__file__).parents[1] / "tasks"
PROTOCOLS = {"openai": "/v1", "anthropic": ""}
CONTEXT = 8192
"""Tokens: what a small model is given on a small machine."""

SERVER = """
import sys, time, xllamacpp
file, port, context, threads = sys.argv[1], *map(int, sys.argv[2:])
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx = file, port, context
params.n_parallel, params.use_jinja, params.model_alias = 1, True, {"local"}
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""


@contextmanager
def served(model: str, threads: int) -> Iterator[str]:
    """The address of a server for `model`, which is a GGUF file or an address already."""
    if model.startswith("http"):
        yield model.rstrip("/")
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-c", SERVER, model, str(port), str(CONTEXT), str(threads)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process)
            yield url
        finally:
            process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if process.poll() is not None:
            sys.exit("the server ended at once: is xllamacpp installed, and is this a GGUF file?")
        try:
            with urlopen(f"{url}/health", timeout=5):  # noqa: S310 -- a loopback address that was made above
                return
        except (URLError, OSError):
            time.sleep(1)
    sys.exit("the server did not become ready within 5 minutes")


def attempt(task: str, protocol: str, url: str, edits: str, minutes: float, runs: str) -> dict[str, Any]:
    """One run: how it ended, and what it took."""
    spec: dict[str, Any] = {
        "model": f"{protocol}:local",
        "base_url": url + PROTOCOLS[protocol],
        "max_output": 1_500,
        "temperature": 0.0,
        "timeout": 900.0,
        "window": CONTEXT,
        "edits": edits,
    }
    goal: Goal = load_goal(str(TASKS / task / "goal.yaml"), KINDS)
    chain = (ModelSpec.model_validate(spec),)
    budget = goal.budget.model_copy(update={"minutes": minutes, "ticks": 6})
    goal = goal.model_copy(update={"models": {"planner": chain, "executor": chain}, "budget": budget})
    started = time.monotonic()
    try:
        done = agentloop.run(goal, runs=runs, say=_say)
        end, folder = "satisfied", done.folder
    except Stopped as stop:
        end, folder = f"{stop.end}: {stop.reason[:120]}", Path(runs) / stop.summary.run
    result = json.loads((folder / "result.json").read_text())
    roles = result["roles"].values()
    return {
        "task": task,
        "protocol": protocol,
        "edits": edits,
        "end": end,
        "ticks": len(result["ticks"]),
        "calls": sum(role["calls"] for role in roles),
        "tokens": sum(role["input"] + role["cached"] + role["output"] for role in roles),
        "seconds": round(time.monotonic() - started),
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Run what the arguments name and print the table, a row as soon as it is known."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("model", help="a GGUF file, or the address of a server (http://127.0.0.1:8080)")
    words.add_argument("tasks", nargs="*", default=sorted(path.parent.name for path in TASKS.glob("*/goal.yaml")))
    words.add_argument("--edits", default="blocks", choices=("auto", "blocks", "tools"))
    words.add_argument("--protocol", action="append", choices=sorted(PROTOCOLS))
    words.add_argument("--minutes", type=float, default=20.0, help="of each run")
    words.add_argument("--threads", type=int, default=1)
    words.add_argument("--runs", help="where the runs are kept (default: a folder that is removed)")
    told = words.parse_args()
    print(
        "| task | protocol | edits | end | ticks | calls | tokens | seconds |\n| --- " + "| --- " * 7 + "|", flush=True
    )
    with served(told.model, told.threads) as url, tempfile.TemporaryDirectory() as spare:
        for task in told.tasks:
            for protocol in told.protocol or PROTOCOLS:
                row = attempt(task, protocol, url, told.edits, told.minutes, told.runs or spare)
                print("| " + " | ".join(str(value) for value in row.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
