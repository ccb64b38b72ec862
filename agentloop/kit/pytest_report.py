"""Both ends of the pipe between the process that runs the tests and the one that writes down what became of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

RANK = ("", "skipped", "xfailed", "xpassed", "passed", "failed", "error")
"""Where a test reports more than once (subtests, teardown), the last of these that it reported counts."""


def teller(handle: int) -> Callable[..., None]:
    """What tells one fact over the pipe `handle`: a line of JSON, from this process and from no fork of it."""
    process, getpid, write, encode = os.getpid(), os.getpid, os.write, json.JSONEncoder().encode

    def tell(*fact: Any) -> None:
        if getpid() == process:  # a test that forks and lets the child return goes on a second time
            data = encode(fact).encode() + b"\n"
            while data:
                data = data[write(handle, data) :]

    return tell


def body(told: Iterable[bytes]) -> dict[str, Any] | None:
    """The report; None where the end was never told, or a line is none of ours."""
    made: dict[str, Any] = {"started": False, "conftest_failed": False, "collected": [], "canary": ""}
    outcomes: dict[str, str] = {}
    errors: dict[str, str] = {}
    try:
        for line in told:
            kind, *parts = json.loads(line)
            if kind == "end":
                code, version, why = parts
                ends = {"exit": int(code), "pytest": version, "why": why}
                return {**made, **ends, "outcomes": outcomes, "errors": errors}
            if kind == "outcome":
                test, outcome = parts
                outcomes[test] = worse(outcomes.get(test, ""), outcome)
            elif kind == "canary":
                made["canary"] = worse(made["canary"], *parts)
            elif kind == "error":
                place, why = parts
                errors[place] = why
            elif kind == "collected":
                (made["collected"],) = parts
            else:
                made[kind] = made[kind] or True  # KeyError: a fact that the recorder never tells
    except (ValueError, TypeError, KeyError):
        return None
    return None


def worse(first: str, second: str) -> str:
    return max(first, second, key=RANK.index)
