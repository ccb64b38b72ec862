"""The services' own counts of a request's tokens, for when the bound by bytes is too coarse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.core.chat import Request
from agentloop.ports import ModelError
from agentloop.providers.tokens import count

LONGEST = 20.0
"""Seconds that counting may take."""


class Counter:
    """Asks for a count; a service that has none is not asked again."""

    def __init__(self, timeout: float) -> None:
        self.seconds = min(LONGEST, timeout)
        self._absent = False

    def count(self, request: Request, ask: Callable[[], Any]) -> int | None:
        """The number that `ask` returns, with a margin; None where there is none.

        The services call their counts estimates that may differ by a small amount from what is billed
        (https://platform.claude.com/docs/en/build-with-claude/token-counting); the margin is 2 % and 64 tokens.
        """
        if self._absent:
            return None
        try:
            counted = count(ask())
        except ModelError as error:
            self._absent = not error.retryable
            return None
        return None if not counted else counted + counted // 50 + 64
