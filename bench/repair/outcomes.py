"""Runs pytest and writes what each test came to, with nothing of the repair engine.

``python -c THIS OUT SECONDS TARGET…``: a test that takes more than SECONDS of processor time has failed.
"""

import json
import os
import signal
import sys

import pytest


class Recorder:
    """A pytest plugin: test id → passed, failed or skipped; a test that breaks in set-up or tear-down has failed."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.seconds = 0.0

    def pytest_runtest_logstart(self) -> None:
        """Start the test's clock."""
        signal.setitimer(signal.ITIMER_PROF, self.seconds, 0.5)

    def pytest_runtest_logfinish(self) -> None:
        """Stop it."""
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the worst of a test's three phases."""
        known = self.outcomes.get(report.nodeid)
        if report.failed or known is None or (report.skipped and known == "passed"):
            self.outcomes[report.nodeid] = report.outcome


def late(number: int, frame: object) -> None:
    """Break into a test that does not end; again and again, should it catch this."""
    raise TimeoutError("the test takes too long")


def main() -> None:
    """Run, write, and end at once: threads that a test left behind don't matter."""
    recorder = Recorder()
    sys.path.insert(0, os.getcwd())
    out, seconds, *targets = sys.argv[1:]
    recorder.seconds = float(seconds)
    signal.signal(signal.SIGPROF, late)
    options = ["-q", "-p", "no:cacheprovider", "--rootdir=.", "--continue-on-collection-errors", "--tb=no"]
    pytest.main([*options, "--", *targets], plugins=[recorder])
    with open(out, "w", encoding="utf-8") as file:
        json.dump(recorder.outcomes, file)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
