"""Where the fault may be: a measurement, so it costs no tokens but its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described

Locate = Callable[[Desk, tuple[str, ...]], str]
"""Ranked suspicious lines for failing tests (none named: those of the task's checks) on a desk's tree, as text.
Raises DeskError where there is nothing to go by."""


def nowhere(desk: Desk, tests: tuple[str, ...]) -> str:
    """The answer where the repository has no Python tests to go by."""
    raise DeskError("there are no Python tests here to measure with; use `search` and `read`")


class SuspectsArguments(Arguments):
    """Which failing tests to go by."""

    tests: list[str] = Field(
        default_factory=list,
        max_length=50,
        description="failing pytest ids, files or folders; left out: those of the task's checks",
    )


class Suspects:
    """List the lines that are most likely at fault, measured by which lines failing and passing tests execute."""

    spec = described("suspects", __doc__, SuspectsArguments)

    def __init__(self, locate: Locate) -> None:
        self._locate = locate

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """``path:line: text`` a line, the worst first. Raises DeskError."""
        return self._locate(desk, tuple(fitted(SuspectsArguments, arguments).tests))
