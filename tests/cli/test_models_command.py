"""`agentloop models` and `agentloop doctor --ping`, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentloop.providers import PROVIDERS
from tests.wire import WireServer, anthropic_reply, error_reply, openai_reply

KEY = "test-key-0123456789"


def agentloop(folder: Path, *argv: str, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    full = [sys.executable, "-m", "agentloop", *argv]
    return subprocess.run(full, cwd=folder, env={**clean, **environ}, capture_output=True, text=True, timeout=100)


def goal(folder: Path, models: dict[str, Any]) -> None:
    content = {"goal": "x", "accept": [{"run": "exit 1"}], "models": models}
    (folder / "goal.yaml").write_text(json.dumps(content))


def test_providers_are_listed_with_what_they_need(tmp_path: Path) -> None:
    """Each by its name; a key is said to be set or not and never shown."""
    done = agentloop(tmp_path, "models", OPENAI_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert all(f"\n{name} " in f"\n{done.stdout}" for name in PROVIDERS)
    assert "OPENAI_API_KEY is set" in done.stdout
    assert "ANTHROPIC_API_KEY is not set" in done.stdout
    assert KEY not in done.stdout


def test_the_models_of_a_goal_are_listed_with_their_prices(tmp_path: Path) -> None:
    """Stated, free on this machine, from the table, unknown; one that can't be used makes it exit 3."""
    goal(tmp_path, {
        "planner": [{"model": "anthropic:claude-sonnet-4-5"}, "openai:no-such-model-9"],
        "executor": {"model": "openai:m", "base_url": "http://127.0.0.1:1/v1"},
        "reviewer": {"model": "command:mine", "argv": ["mine"], "price": {"input": 1, "output": 2.5}},
    })  # fmt: skip
    done = agentloop(tmp_path, "models", "goal.yaml", OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "per million tokens (genai-prices" in lines[0]
    assert lines[1].endswith("price unknown; a budget in usd needs `price:`")
    assert lines[2] == "executor  openai:m: $0 in, $0 out per million tokens (nothing is paid there)"
    assert lines[3] == "reviewer  command:mine: $1 in, $2.5 out per million tokens (stated in the goal)"
    without = agentloop(tmp_path, "models", "goal.yaml", OPENAI_API_KEY=KEY)
    assert without.returncode == 3
    assert "ANTHROPIC_API_KEY is not set" in without.stdout


@pytest.mark.parametrize("down", [False, True])
def test_ping_asks_each_model_for_one_word(tmp_path: Path, down: bool) -> None:
    """Latency and cost of each; exit 3 and the reason where one does not answer, after one request."""
    with WireServer() as wire:
        goal(tmp_path, {
            "planner": {"model": "anthropic:m", "base_url": wire.anthropic_url, "price": {"input": 1, "output": 1000}},
            "executor": {"model": "openai:m", "base_url": wire.openai_url},
        })  # fmt: skip
        wire.push(anthropic_reply("pong", usage={"input_tokens": 10, "output_tokens": 1}))
        usage = {"prompt_tokens": 9, "completion_tokens": 1}
        wire.push(error_reply(500, f"down for {KEY}") if down else openai_reply("pong", usage=usage))
        done = agentloop(tmp_path, "doctor", "--ping", OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY)
        assert len(wire.log) == 2
    planner, executor = done.stdout.splitlines()
    assert done.returncode == (3 if down else 0), done.stderr
    assert "planner   anthropic:m: 'pong' in " in planner
    assert "11 tokens, $0.0010" in planner
    assert ("HTTP 500" if down else "10 tokens, $0.0000") in executor
    assert KEY not in done.stdout


def test_a_goal_without_models_has_nothing_to_ping(tmp_path: Path) -> None:
    """And says so."""
    (tmp_path / "goal.yaml").write_text(json.dumps({"goal": "x", "accept": [{"run": "exit 1"}]}))
    for argv in (("models", "goal.yaml"), ("doctor", "--ping")):
        done = agentloop(tmp_path, *argv)
        assert (done.returncode, done.stdout) == (0, "no models: the goal uses the model-free pair\n")
