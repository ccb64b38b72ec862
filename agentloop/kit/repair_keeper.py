"""A process that holds pytest ready in one slot and forks a run of it for every command.

It reads commands (JSON lines: `stage` failing, passing or all, `near`, indices of the passing tests to run first,
`factor` of the time limits, and for a hot keeper the candidate) and writes answers: `ready` with the files of the slot
that it has imported, `pid` of a run, its `outcome` with the number of tests that did not pass, and `end` with the
signal that ended it when nothing of the run is alive any more. A hot keeper forks after collection, and the fork takes
the changed function into what is imported already; a warm one forks after configuration and before collection; a cold
one forks before pytest begins, for changes in what configuration itself imports (conftest.py and all it pulls in).
"""

import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import threading
import unittest

import pytest
import repair_hot  # type: ignore[import-not-found]
import repair_place  # type: ignore[import-not-found]

SLOW = ("-p", "no:unraisableexception", "-p", "no:threadexception")
"""Plugins that collect garbage twice a run; a candidate that passes is judged again with all of them."""

SUBREAPER = 36
"""prctl: orphans of what is started here become our children, even those that left their session."""

LEFT_TO_PYTEST = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
"""What a test raises without having failed."""

IMPORTING = 5.0
"""Seconds of processor time in which a run must get to its first test."""


class Keeper:
    """One slot's keeper; `commands` and `answers` are file descriptors; `heat` is hot, warm or cold."""

    def __init__(self, slot, request, commands, answers, heat):
        self.slot, self.request, self.answers, self.heat = slot, request, answers, heat
        self.commands = os.fdopen(commands, encoding="utf-8")
        self.own = set()
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)

    def keep(self):
        """Serve until the commands end; never returns."""
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        repair_place.enter(self.slot, self.request["tree"])
        with contextlib.suppress(BaseException):
            if self.heat == "cold":
                self.tell(ready=[])
                command = self.serve()
                self.pytest(self.wanted(command), Run(self, command))
            else:
                tests = [*self.request["failing"], *self.request["passing"]]
                self.pytest([*dict.fromkeys(test.partition("::")[0] for test in tests)], Run(self))
                self.tell(ready=None)
        os._exit(0)

    def pytest(self, targets, run):
        """One run of pytest, which `run` holds, watches and ends."""
        arguments = [*repair_place.options(self.slot), "-x", "-s", "--assert=plain", "--tb=native", *SLOW]
        repair_place.run([*arguments, "--", *targets], [run])

    def wanted(self, command):
        """The ids that a command means, those near the change first."""
        failing, passing = self.request["failing"], self.request["passing"]
        near = dict.fromkeys([*(passing[number] for number in command["near"]), *passing])
        return [*(failing if command["stage"] != "passing" else ()), *(near if command["stage"] != "failing" else ())]

    def serve(self):
        """Fork for each command. Returns the command in the fork; in the keeper, never."""
        self.own = children()
        gc.collect()
        gc.freeze()
        for line in self.commands:
            pid = os.fork()
            if pid == 0:
                os.setsid()
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_PROF, IMPORTING)
                return json.loads(line)
            self.tell(pid=pid)
            _, status = os.waitpid(pid, 0)
            self.sweep(pid)
            self.tell(end=pid, signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)
        os._exit(0)

    def sweep(self, group):
        """End what a run left behind: its process group, and every orphan, which is our child by now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        while left := children() - self.own:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def tell(self, **answer):
        os.write(self.answers, (json.dumps(answer) + "\n").encode())


def expected(item):
    """Whether unittest takes a failure of this test for a success."""
    method = getattr(item, "obj", None)
    return getattr(method, "__unittest_expecting_failure__", False) or getattr(
        getattr(item, "cls", None), "__unittest_expecting_failure__", False
    )


def children():
    """The ids of this process's children; empty where the system does not tell."""
    with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return {int(pid) for pid in file.read().split()}
    return set()


class Run:
    """A pytest plugin: holds a run until a command comes, then tells whether each wanted test passed."""

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
