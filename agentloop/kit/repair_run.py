"""A pytest plugin: holds a run until a command comes, then tells whether each wanted test passed."""

import contextlib
import os
import signal
import sys
import threading
import unittest

import pytest
import repair_hot  # type: ignore[import-not-found]
import repair_place  # type: ignore[import-not-found]

LEFT_TO_PYTEST = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
"""What a test raises without having failed."""


class Run:
    """The plugin, of one keeper; `command` is there from the start where pytest begins after it came."""

    def __init__(self, keeper, command=None):
        self.keeper, self.command = keeper, command
        self.wanted: list[str] = keeper.wanted(command) if command else []
        self.good, self.bad = set(), set()

    def hold(self):
        """Wait for a command. Tells before what of the slot is imported, or null where a fork would not be sound."""
        tree = os.path.realpath(self.keeper.slot)
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        mine = [file for file in files if isinstance(file, str) and repair_place.under(file, tree)]
        loaded = [os.path.relpath(os.path.realpath(file), tree) for file in mine]
        self.keeper.tell(ready=loaded if threading.active_count() == 1 else None)
        self.command = self.keeper.serve()
        self.wanted = self.keeper.wanted(self.command)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        repair_place.alone(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        repair_place.distrust_bytecode(self.keeper.slot)
        if self.command is None and self.keeper.heat == "warm":
            self.hold()
            session.config.args = list(self.wanted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if self.keeper.heat != "hot":
            return
        items = {item.nodeid: item for item in session.items}
        if session.testsfailed or not items.keys() >= {*self.keeper.request["failing"]}:
            self.keeper.tell(ready=None)
            os._exit(0)
        tree = os.path.realpath(self.keeper.slot)
        alive = repair_hot.index(tree)
        self.hold()
        path = os.path.join(tree, self.command["path"])
        with open(path, "rb") as file:
            data = file.read()
        if trouble := repair_hot.swap(alive, path, data, self.command):
            self.keeper.tell(outcome=trouble)
            os._exit(0)
        session.items[:] = [items[test] for test in self.wanted if test in items]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid, location):
        limit = self.keeper.request["each"].get(nodeid, self.keeper.request["limits"][0])
        signal.setitimer(signal.ITIMER_PROF, limit * self.command["factor"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        """One wanted test that raises decides: what pytest would make of it for people costs most of the time."""
        raised = call.excinfo.value if call.excinfo else bool(getattr(item, "_excinfo", None))
        special = isinstance(raised, LEFT_TO_PYTEST) or item.get_closest_marker("xfail")
        if raised and not special and item.nodeid in self.wanted and not expected(item):
            with contextlib.suppress(BaseException):
                item.session._setupstate.teardown_exact(None)
            self.keeper.tell(outcome="failed", failing=1)
            os._exit(0)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.good.add(report.nodeid)
        elif not report.passed and not (report.skipped and report.nodeid not in self.wanted):
            self.bad.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if self.command is not None:
            # What other plugins do at the end of a session is the keeper's, which goes on.
            holds = not self.bad and self.good.issuperset(self.wanted)
            self.keeper.tell(outcome="passed" if holds else "failed", failing=len(self.bad))
            os._exit(0)


def expected(item):
    """Whether unittest takes a failure of this test for a success."""
    method = getattr(item, "obj", None)
    return getattr(method, "__unittest_expecting_failure__", False) or getattr(
        getattr(item, "cls", None), "__unittest_expecting_failure__", False
    )
