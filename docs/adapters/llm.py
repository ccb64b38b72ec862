"""The `llm` program as a model of agentloop: any model that one of its plugins brings.

Needs `llm` 0.36 or newer and the model's key or plugin, as `llm models` and `llm keys` have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from adapter import Answer, Ask, Failed, run, serve

INSTALL = "pip install llm"
ENDED = ("finish_reason", "stop_reason", "finishReason", "done_reason")
CUT = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens")


def answer(ask: Ask, work: Path) -> Answer:
    """Ask once, logging nothing."""
    argv = ["llm", "prompt", "-m", ask.model, "--no-log", "--no-stream", "--json", "-s", ask.system, *ask.extra]
    done = run(argv, ask.prompt, work, INSTALL)
    if done.returncode:
        raise Failed(done.stderr or f"llm ended with {done.returncode}")
    try:
        record = json.loads(done.stdout)[-1]
        text = record["response"]
    except (ValueError, LookupError, TypeError):
        raise Failed("the output of llm --json is not what version 0.36 prints") from None
    usage = {"input": record.get("input_tokens"), "output": record.get("output_tokens")}
    with suppress(ValueError, LookupError, TypeError):  # most plugins tell no such thing
        usage["cached"] = json.loads(record["token_details"])["prompt_tokens_details"]["cached_tokens"]
    return Answer(text, usage, cut=any(why in CUT for why in endings(record.get("response_json"))))


def endings(value: Any) -> Iterator[Any]:
    """What the service itself said about why it ended, wherever its plugin keeps it."""
    if isinstance(value, dict):
        yield from (value[key] for key in ENDED if key in value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from endings(inner)


if __name__ == "__main__":
    serve(answer)
