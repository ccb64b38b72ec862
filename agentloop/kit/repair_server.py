"""Tries program candidates against tests, each in a process forked for it: ``python repair_server.py REQUEST``.

REQUEST is a JSON file with `slots` (folders, each a copy of the tree), `candidates` (a JSON lines file: `id`, `path`,
`text`), `results` (where a JSON line per candidate goes: `id`, `outcome` passed, failed, hang or crash, `seconds`),
`failing` (test ids to run first), `passing` (ids to run when those pass), `modules` (to import beforehand), `want`
(stop after so many that pass), `seconds` (stop after so long) and `limit` (seconds of one candidate). Results come in
the order of the candidates' finish; a candidate that passes ends the search only when all before it are through.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time


def main():
    """Serve one request."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    sys.dont_write_bytecode = True
    prepare(request)
    Server(request).serve()
    os._exit(0)


def prepare(request):
    """Import what does not change, once, so that the forks need not."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    for name in request["modules"]:
        if name.startswith("agentloop") or name == "coverage":
            continue
        with contextlib.suppress(BaseException), contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
            importlib.import_module(name)
    pytest = importlib.import_module("pytest")
    with tempfile.TemporaryDirectory() as empty:
        # Nothing of the tree is run; the plugins of the environment are loaded, once for all forks.
        saved = os.dup(1), os.dup(2)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with contextlib.suppress(BaseException):
            pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir=" + empty, empty])
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
    gc.collect()
    gc.freeze()


class Server:
    """Keeps every slot busy until enough candidates pass, time is up, or none is left."""

    def __init__(self, request):
        self.request = request
        self.began = time.monotonic()
        self.deadline = self.began + request["seconds"]
        self.free = list(request["slots"])
        self.running = {}
        self.passed = []
        self.results = open(request["results"], "a", buffering=1, encoding="utf-8")  # noqa: SIM115 -- open till the end

    def serve(self):
        with open(self.request["candidates"], encoding="utf-8") as candidates:
            for line in candidates:
                while not self.free:
                    self.wait()
                if len(self.passed) >= self.request["want"] or time.monotonic() > self.deadline:
                    break
                self.start(json.loads(line), self.free.pop())
        while self.running:
            self.wait()

    def start(self, candidate, slot):
        path = os.path.join(slot, candidate["path"])
        with open(path, "rb") as file:
            before = file.read()
        with open(path, "wb") as file:
            file.write(candidate["text"].encode("utf-8", "surrogateescape"))
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            child(slot, self.request, write)
        os.close(write)
        limit = time.monotonic() + self.request["limit"]
        self.running[read] = (pid, candidate, slot, path, before, limit, time.monotonic())

    def wait(self):
        soonest = min(entry[5] for entry in self.running.values())
        ready, _, _ = select.select(list(self.running), [], [], max(0.0, soonest - time.monotonic()))
        now = time.monotonic()
        for read in list(self.running):
            if read in ready:
                self.finish(read, os.read(read, 64).decode() or "crash")
            elif self.running[read][5] <= now:
                self.finish(read, "hang")

    def finish(self, read, outcome):
        pid, candidate, slot, path, before, _, began = self.running.pop(read)
        os.close(read)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with open(path, "wb") as file:
            file.write(before)
        if outcome == "passed":
            self.passed.append(candidate["id"])
            # Runners-up are worth a little more time, not all that is left.
            more = max(2.0, 0.5 * (time.monotonic() - self.began))
            self.deadline = min(self.deadline, time.monotonic() + more)
        seconds = time.monotonic() - began
        self.results.write(json.dumps({"id": candidate["id"], "outcome": outcome, "seconds": seconds}) + "\n")
        self.free.append(slot)


SLOW = ("-p", "no:unraisableexception", "-p", "no:threadexception")
"""Plugins that collect garbage twice a run; a candidate that passes is judged again with all of them."""


class Verdict:
    """A pytest plugin that says whether each wanted test was run and passed."""

    def __init__(self, wanted):
        self.wanted = set(wanted)
        self.good, self.bad = set(), set()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.good.add(report.nodeid)
        elif not report.passed and not (report.skipped and report.nodeid not in self.wanted):
            self.bad.add(report.nodeid)

    @property
    def holds(self):
        return not self.bad and self.wanted <= self.good


def child(slot, request, write):
    """In the fork: run the failing tests, then the others; tell what came of it and vanish."""
    outcome = "crash"
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.chdir(slot)
        sys.path.insert(0, slot)
        outcome = "failed"
        if run(slot, request["failing"]) and run(slot, request["passing"]):
            outcome = "passed"
    except BaseException:  # noqa: BLE001 -- whatever the code under test raises, the candidate did not pass
        outcome = "crash"
    os.write(write, outcome.encode())
    os._exit(0)


def run(slot, wanted):
    """Whether each test of `wanted` passes."""
    if not wanted:
        return True
    pytest = importlib.import_module("pytest")
    verdict = Verdict(wanted)
    options = ["-q", "-x", "-p", "no:cacheprovider", "--assert=plain", "--tb=no", "--rootdir=" + slot, *SLOW]
    pytest.main([*options, "--", *wanted], plugins=[verdict])
    return verdict.holds


if __name__ == "__main__":
    main()
