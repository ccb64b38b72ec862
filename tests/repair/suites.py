"""Runs one small suite per variant of a package, each in a fork: ``python suites.py FOLDER…``.

Each FOLDER holds a package and its tests. One JSON line a folder: its name and how its tests ended: `red` ids, how many
were `green`, and pytest's exit `code`, or `hang` where they took longer than SECONDS.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile

import pytest

SECONDS = 20
SLOW = ("hypothesispytest", "xdist", "anyio", "timeout", "unraisableexception", "threadexception")
"""Plugins that take long to load or collect garbage after each run."""

OPTIONS = ["-q", "-p", "no:cacheprovider", "--tb=no", "--assert=plain", f"-c{os.devnull}", "--rootdir=."]
OPTIONS += [option for name in SLOW for option in ("-p", f"no:{name}")]


class Seen:
    """A pytest plugin: which tests failed, and how many passed."""

    def __init__(self):
        self.red, self.green = [], 0

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.red.append(report.nodeid)
        self.green += report.when == "call" and report.passed


def main():
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    with tempfile.TemporaryDirectory() as empty:  # loads what pytest needs, once for all forks
        pytest.main([*OPTIONS, empty])
    for folder in sys.argv[1:]:
        pid = os.fork()
        if pid == 0:
            signal.alarm(SECONDS)
            os.chdir(folder)
            sys.path.insert(0, folder)
            seen = Seen()
            with contextlib.suppress(SystemExit):
                code = pytest.main([*OPTIONS, "."], [seen])
            row = {"folder": os.path.basename(folder), "red": seen.red, "green": seen.green, "code": int(code)}
            os.write(out, (json.dumps(row) + "\n").encode())
            os._exit(0)
        if os.waitpid(pid, 0)[1]:
            os.write(out, (json.dumps({"folder": os.path.basename(folder), "code": "hang"}) + "\n").encode())


if __name__ == "__main__":
    main()
