"""The one retry policy, with a clock of the test's own."""

from __future__ import annotations

import pytest

from agentloop.core.chat import Reply
from agentloop.ports import ModelError
from agentloop.providers.retry import with_retries


class Times:
    """A clock that only sleeping, and a call's own seconds, move."""

    def __init__(self, *outcomes: ModelError | Reply | BaseException, seconds: float = 0.0) -> None:
        self.outcomes = list(outcomes)
        self.seconds = seconds
        self.now = 100.0
        self.slept: list[float] = []
        self.faults: list[ModelError] = []
        self.calls = 0

    def call(self) -> Reply:
        self.calls += 1
        self.now += self.seconds
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Reply):
            return outcome
        raise outcome

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def run(self, attempts: int = 4, deadline: float | None = None) -> Reply:
        return with_retries(
            self.call,
            attempts=attempts,
            deadline=deadline,
            on_fault=self.faults.append,
            sleep=self.sleep,
            clock=lambda: self.now,
        )


def again(after: float | None = None) -> ModelError:
    return ModelError("later", retryable=True, retry_after=after)


DONE = Reply(text="done", stop="end")


def test_a_fault_that_passes_is_waited_out() -> None:
    """Waits grow, each fault is told, the reply comes back."""
    times = Times(again(), again(), again(), DONE)
    assert times.run() is DONE
    assert all(low <= wait <= low + 1 for low, wait in zip([1, 2, 4], times.slept, strict=True))
    assert len(times.faults) == 3


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_the_last_fault_is_raised_when_the_attempts_are_used_up(attempts: int) -> None:
    """It is the last one itself, and every one was told."""
    faults = [again() for _ in range(6)]
    times = Times(*faults)
    with pytest.raises(ModelError) as caught:
        times.run(attempts=attempts)
    assert caught.value is faults[attempts - 1]
    assert times.faults == faults[:attempts]
    assert len(times.slept) == attempts - 1


def test_a_fault_that_stays_is_not_tried_again() -> None:
    """It is told and raised."""
    times = Times(ModelError("no", retryable=False), DONE)
    with pytest.raises(ModelError, match="no"):
        times.run()
    assert (times.calls, times.slept, len(times.faults)) == (1, [], 1)


@pytest.mark.parametrize("asked", [0.0, 7.0, 60.0])
def test_what_the_service_asks_for_is_honoured(asked: float) -> None:
    """Never less than it asked, and little more; a 0 is no reason to hammer it."""
    times = Times(again(asked), DONE)
    times.run()
    assert max(asked, 1) <= times.slept[0] <= max(asked, 1) + 1


def test_too_long_a_wait_is_not_waited() -> None:
    """The run has better things to do: another model, or an end that can be resumed."""
    times = Times(again(61), DONE)
    with pytest.raises(ModelError):
        times.run()
    assert (times.calls, times.slept) == (1, [])


@pytest.mark.parametrize(("deadline", "calls"), [(0.0, 1), (10.5, 1), (22.5, 2), (1000.0, 4), (None, 4)])
def test_no_retry_begins_after_the_deadline(deadline: float | None, calls: int) -> None:
    """Each call takes ten seconds; the wait before the next one counts too."""
    times = Times(*[again() for _ in range(4)], seconds=10)
    with pytest.raises(ModelError):
        times.run(deadline=deadline)
    assert times.calls == calls


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("ours")], ids=["interrupt", "bug"])
def test_whatever_is_not_the_services_fault_passes_at_once(error: BaseException) -> None:
    """Neither an interrupt nor a bug is retried."""
    times = Times(error, DONE)
    with pytest.raises(type(error)):
        times.run()
    assert (times.calls, times.faults) == (1, [])
