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

import repair_place  # type: ignore[import-not-found]
import repair_run  # type: ignore[import-not-found]

SLOW = ("-p", "no:unraisableexception", "-p", "no:threadexception")
"""Plugins that collect garbage twice a run; a candidate that passes is judged again with all of them."""

SUBREAPER = 36
"""prctl: orphans of what is started here become our children, even those that left their session."""

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
                self.pytest(self.wanted(command), repair_run.Run(self, command))
            else:
                tests = [*self.request["failing"], *self.request["passing"]]
                self.pytest([*dict.fromkeys(test.partition("::")[0] for test in tests)], repair_run.Run(self))
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


def children():
    """The ids of this process's children; empty where the system does not tell."""
    with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return {int(pid) for pid in file.read().split()}
    return set()
