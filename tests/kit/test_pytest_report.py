"""What the process that runs the tests tells, and what the other makes of it."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from agentloop.kit.pytest_report import body, teller

END = ("end", 1, "9.2.0", "")


def told(*facts: tuple[Any, ...]) -> list[bytes]:
    return [json.dumps(fact).encode() + b"\n" for fact in facts]


def test_facts_become_a_report() -> None:
    """Each kind of fact has its place."""
    lines = told(
        ("started",),
        ("collected", ["a", "b"]),
        ("outcome", "a", "passed"),
        ("error", "c", "no module"),
        ("canary", ""),
        ("canary", "failed"),
        END,
    )
    assert body(lines) == {
        "started": True,
        "conftest_failed": False,
        "collected": ["a", "b"],
        "outcomes": {"a": "passed"},
        "errors": {"c": "no module"},
        "canary": "failed",
        "exit": 1,
        "pytest": "9.2.0",
        "why": "",
    }


def test_what_was_told_is_not_taken_back() -> None:
    """A later, better word does not count, nor does anything after the end."""
    first = ("outcome", "a", "failed")
    again = ("outcome", "a", "passed")
    made = body(told(first, again, END, ("outcome", "a", "passed")))
    assert made is not None
    assert made["outcomes"] == {"a": "failed"}


@pytest.mark.parametrize(
    "line",
    [b"", b"no json\n", b"[]\n", b"{}\n", b"7\n", b'["outcome", "a"]\n', b'["outcome", "a", "splendid"]\n', b'["x"]\n',
     b'["end", "1"]\n', b'["exit", 0]\n', b'["canary", 1]\n'],
)  # fmt: skip
def test_a_line_that_is_none_of_ours_makes_no_report(line: bytes) -> None:
    """Whoever writes into the pipe without knowing how gets no report at all; nor does who never ends."""
    assert body([*told(("started",)), line, *told(END)]) is None
    assert body(told(("started",))) is None


def test_only_the_process_itself_tells() -> None:
    """A fork that goes on where its parent stood says nothing."""
    reading, writing = os.pipe()
    tell = teller(writing)
    tell("outcome", "größe[\ud800]", "passed")
    if (child := os.fork()) == 0:
        tell("outcome", "a", "failed")
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert json.loads(file.read()) == ["outcome", "größe[\ud800]", "passed"]
