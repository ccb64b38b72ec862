"""The one retry policy: the SDKs' own retries are off, because they know neither the purse nor the deadline."""

from __future__ import annotations

import time
from collections.abc import Callable

from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential_jitter, wait_random

from agentloop.core.chat import Reply
from agentloop.ports import ModelError

LONGEST_WAIT = 60.0
"""Seconds: a service that wants to be left alone for longer is not waited for."""

_BACKOFF = wait_exponential_jitter(initial=1, max=30, jitter=1)
_JITTER = wait_random(0, 1)
"""1, 2, 4 … seconds, and up to one more, so that parallel workers do not come back together."""


def with_retries(
    call: Callable[[], Reply],
    *,
    attempts: int = 4,
    deadline: float | None = None,
    on_fault: Callable[[ModelError], None] = lambda error: None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Reply:
    """The reply of `call`, tried at most `attempts` times, `on_fault` told of each failure.

    A retry that would begin later than `deadline` seconds after the start is not made; None is no such limit.
    Raises the last ModelError; every other exception at once.
    """
    start = clock()

    def enough(state: RetryCallState) -> bool:
        late = deadline is not None and clock() - start + state.upcoming_sleep > deadline
        return late or state.attempt_number >= attempts

    def once() -> Reply:
        try:
            return call()
        except ModelError as error:
            on_fault(error)
            raise

    policy = Retrying(sleep=sleep, stop=enough, wait=_wait, retry=retry_if_exception(_worth_it), reraise=True)
    return policy(once)


def _worth_it(error: BaseException) -> bool:
    return isinstance(error, ModelError) and error.retryable and (error.retry_after or 0) <= LONGEST_WAIT


def _wait(state: RetryCallState) -> float:
    """What the service asked for and up to a second more, but never less than the backoff."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, ModelError) else None
    return max(_BACKOFF(state), asked + _JITTER(state) if asked else 0)
