"""A process that holds pytest ready in one slot and forks a run of it for every command.

It reads commands (JSON lines: `stage` failing or passing, `near`, indices of the passing tests to run first) and
writes answers: `ready` with the files of the slot that it has imported, `pid` of a run, its `outcome` with the number
of tests that did not pass, and `end` when nothing of the run is alive any more. A warm keeper forks inside of pytest,
after configuration and before collection; a cold one forks before pytest begins, for changes in what configuration
itself imports (conftest.py and all that it pulls in).
"""

import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import threading

import pytest
import repair_place  # type: ignore[import-not-found]

SLOW = ("-p", "no:unraisableexception", "-p", "no:threadexception")
"""Plugins that collect garbage twice a run; a candidate that passes is judged again with all of them."""

SUBREAPER = 36
"""prctl: orphans of what is started here become our children, even those that left their session."""


class Keeper:
    """One slot's keeper; `commands` and `answers` are file descriptors."""

    def __init__(self, slot, request, commands, answers):
        self.slot, self.request, self.answers = slot, request, answers
        self.commands = os.fdopen(commands, encoding="utf-8")
        self.own = set()
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)

    def keep(self, warm):
        """Serve until the commands end; never returns."""
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        repair_place.enter(self.slot, self.request["tree"])
        with contextlib.suppress(BaseException):
            if warm:
                tests = [*self.request["failing"], *self.request["passing"]]
                self.pytest([*dict.fromkeys(test.partition("::")[0] for test in tests)], Run(self))
                self.tell(ready=None)
            else:
                self.tell(ready=[])
                command = self.serve()
                self.pytest(self.wanted(command), Run(self, self.wanted(command)))
        os._exit(0)

    def pytest(self, targets, run):
        """One run of pytest, which `run` holds, watches and ends."""
        arguments = [*repair_place.options(self.slot), "-x", "-s", "--assert=plain", "--tb=native", *SLOW]
        repair_place.run([*arguments, "--", *targets], [run])

    def wanted(self, command):
        """The ids that a command means, those near the change first."""
        if command["stage"] == "failing":
            return list(self.request["failing"])
        passing = self.request["passing"]
        return list(dict.fromkeys([*(passing[number] for number in command["near"]), *passing]))

    def serve(self):
        """Fork for each command. Returns the command in the fork; in the keeper, never."""
        self.own = children()
        gc.collect()
        gc.freeze()
        for line in self.commands:
            pid = os.fork()
            if pid == 0:
                os.setsid()
                return json.loads(line)
            self.tell(pid=pid)
            os.waitpid(pid, 0)
            self.sweep(pid)
            self.tell(end=pid)
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


def children():
    """The ids of this process's children; empty where the system does not tell."""
    with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return {int(pid) for pid in file.read().split()}
    return set()


class Run:
    """A pytest plugin: holds a warm run until a command comes, then tells whether each wanted test passed."""

    def __init__(self, keeper, wanted=None):
        self.keeper, self.wanted = keeper, wanted
        self.good, self.bad = set(), set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        repair_place.alone(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        if self.wanted is None:
            tree = os.path.realpath(self.keeper.slot)
            files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
            mine = [file for file in files if isinstance(file, str) and repair_place.under(file, tree)]
            loaded = [os.path.relpath(os.path.realpath(file), tree) for file in mine]
            self.keeper.tell(ready=loaded if threading.active_count() == 1 else None)
            self.wanted = self.keeper.wanted(self.keeper.serve())
            session.config.args = list(self.wanted)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.good.add(report.nodeid)
        elif not report.passed and not (report.skipped and report.nodeid not in self.wanted):
            self.bad.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if self.wanted is not None:
            # What other plugins do at the end of a session is the keeper's, which goes on.
            holds = not self.bad and self.good.issuperset(self.wanted)
            self.keeper.tell(outcome="passed" if holds else "failed", failing=len(self.bad))
            os._exit(0)
