"""The pytest plugin that writes down what became of every test. Loaded by pytest_launch from outside of the tree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol


class Recorder:
    """Chooses the wanted tests out of the collected ones and tells their outcomes, one by one; it keeps none.

    `wanted` are node ids, files or folders relative to `tree`; `canary` is a planted file that must fail.
    """

    def __init__(self, tree: str, wanted: Iterable[str], canary: str, tell: Callable[..., None]) -> None:
        self.tree = tree
        self.wanted = frozenset(wanted)
        self.canary = canary
        self.tell = tell

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self) -> Iterator[None]:
        # From here on the tree is first, as under `python -m pytest`. Until now it was last, so that no file
        # of the tree could stand in for a plugin of the environment.
        sys.path[:] = [self.tree, *(entry for entry in sys.path if entry != self.tree)]
        outcome: Any = yield
        if outcome.excinfo is not None:
            self.tell("conftest_failed")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Iterator[None]:
        # All tests run in this process: what other processes report could not be trusted any better, and
        # the order would change from run to run.
        for option, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
            if hasattr(config.option, option):
                setattr(config.option, option, value)
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        self.tell("started")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
        planted = [item for item in items if self.is_canary(item.nodeid)]
        items[:] = [item for item in items if not self.is_canary(item.nodeid)]
        self.tell("collected", [item.nodeid for item in items])
        yield
        unwanted = [item for item in items if self.wanted.isdisjoint(prefixes(item.nodeid))]
        items[:] = [item for item in items if not self.wanted.isdisjoint(prefixes(item.nodeid))] + planted
        if unwanted:
            config.hook.pytest_deselected(items=unwanted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.is_canary(report.nodeid):
            lines = str(report.longrepr).strip().splitlines()
            self.tell("error", report.nodeid, lines[-1][:400] if lines else "could not be collected")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if not self.is_canary(item.nodeid):
            return None
        # It runs like every other test, but nobody is told: not the terminal, the exit code or `--maxfail`.
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            self.tell("canary", outcome_of(report))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if outcome := outcome_of(report):
            self.tell("outcome", report.nodeid, outcome)

    def is_canary(self, nodeid: str) -> bool:
        return bool(self.canary) and nodeid.partition("::")[0] == self.canary


def outcome_of(report: pytest.TestReport) -> str:
    """One phase's report as an outcome of the test; '' where it says nothing (setup that went well, a rerun)."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.passed and report.when == "call":
        return "xpassed" if hasattr(report, "wasxfail") else "passed"
    return ""


def prefixes(nodeid: str) -> set[str]:
    """The node id and everything it lies in: its function without parameters, classes, file, folders, the root."""
    path, *names = nodeid.split("[")[0].split("::")
    parts = path.split("/")
    folders = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    inner = ["::".join([path, *names[:length]]) for length in range(1, len(names) + 1)]
    return {nodeid, ".", *folders, *inner}
