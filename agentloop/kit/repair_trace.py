"""Runs tests once and writes which lines each of them executed: ``python repair_trace.py REQUEST``.

REQUEST is a JSON file with `tree`, `targets` (test ids or files), `out`, `borrow` (a folder from which the package
`coverage` may be taken where this interpreter has none). The answer in `out` is JSON: `tests` (id → outcome, seconds,
and of failing ones frames and words), `lines` (file → line → indices of tests), `names` (the tests in order of index),
`modules` (what was imported from outside the tree), `why` where nothing could be done.
"""

import importlib
import json
import os
import sys
import time


def main():
    """Trace, write, end without running what tests left for the end."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        answer = trace(request)
    except ImportError as error:
        answer = {"why": str(error)}
    with open(request["out"], "w", encoding="utf-8") as file:
        json.dump(answer, file)
    sys.stdout.flush()
    os._exit(0)


def trace(request):
    """The answer."""
    tree = os.path.realpath(request["tree"])
    pytest = importlib.import_module("pytest")
    coverage = borrowed("coverage", request["borrow"])
    os.chdir(tree)
    sys.path.insert(0, tree)
    measure = coverage.Coverage(data_file=None, config_file=False, include=[os.path.join(tree, "*")], messages=False)
    watcher = Watcher(tree, measure)
    measure.start()
    options = ["-q", "-p", "no:cacheprovider", "--rootdir=" + tree, "--continue-on-collection-errors"]
    code = pytest.main([*options, "--", *request["targets"]], plugins=[watcher])
    measure.stop()
    lines = {}
    data = measure.get_data()
    index = {name: number for number, name in enumerate(watcher.tests)}
    for path in data.measured_files():
        found = data.contexts_by_lineno(path)
        lines[os.path.relpath(os.path.realpath(path), tree)] = {
            line: [index[name] for name in contexts if name in index] for line, contexts in found.items()
        }
    return {
        "tests": watcher.tests,
        "names": list(watcher.tests),
        "lines": lines,
        "modules": outside(tree),
        "exit": int(code),
        "errors": watcher.errors,
    }


def borrowed(name, folder):
    """A package of this interpreter, else the one in `folder`; nothing else is ever taken from there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        sys.path.append(folder)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(folder)


def outside(tree):
    """Modules that were imported from outside the tree: they don't change from candidate to candidate."""
    found = []
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and not os.path.realpath(path).startswith(tree + os.sep) and name != "__main__":
            found.append(name)
    return found


class Watcher:
    """A pytest plugin: one coverage context a test, and what failing tests say."""

    def __init__(self, tree, measure):
        self.tree, self.measure = tree, measure
        self.tests, self.errors = {}, []

    def pytest_runtest_logstart(self, nodeid, location):
        self.tests[nodeid] = {"outcome": "passed", "began": time.perf_counter(), "seconds": 0.0}
        self.measure.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid, location):
        self.measure.switch_context("")
        test = self.tests[nodeid]
        test["seconds"] = time.perf_counter() - test.pop("began")

    def pytest_runtest_logreport(self, report):
        test = self.tests[report.nodeid]
        if report.failed:
            test["outcome"] = "failed" if report.when == "call" else "error"
        elif report.skipped:
            test["outcome"] = "skipped"

    def pytest_exception_interact(self, node, call, report):
        frames = []
        for entry in call.excinfo.traceback:
            path = os.path.realpath(str(entry.path))
            if path.startswith(self.tree + os.sep):
                frames.append([os.path.relpath(path, self.tree), entry.lineno + 1, entry.name])
        words = str(report.longrepr)[-4000:]
        if node.nodeid in self.tests:
            self.tests[node.nodeid].update(frames=frames, words=words, error=call.excinfo.typename)
        else:
            self.errors.append([node.nodeid, words[-1000:]])


if __name__ == "__main__":
    main()
