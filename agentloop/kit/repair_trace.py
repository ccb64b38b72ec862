"""Runs tests once and writes which lines each of them executed: ``python repair_trace.py REQUEST``.

REQUEST is a JSON file with `tree`, `targets` (test ids or files), `out`, `borrow` (a folder from which the package
`coverage` may be taken where this interpreter has none; null: never). The answer in `out` is JSON: `tests` (id →
outcome, seconds, and of failing ones frames, error and words), `lines` (file → line → indices of tests; test files
and conftest.py left out), `names` (the tests in order of index), `imported` (file → lines that ran outside of tests),
`types` (file → first line of a function → variable → names of types), `calls` (file → first line of a
function → module, name and arguments of calls), `modules` (what was imported from outside the
tree), `errors` (what could not be collected), `how` (coverage or settrace), `why` where nothing could be done.
"""

import json
import os
import sys
import time

import repair_hang as hanging  # type: ignore[import-not-found]
import repair_lines  # type: ignore[import-not-found]
import repair_place  # type: ignore[import-not-found]
import repair_types  # type: ignore[import-not-found]

HANG = 4.0
"""Seconds of processor time after which a test is taken to hang."""

WORDS = 4000
"""Characters of a failure that are kept, from its end."""


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
    repair_place.leave(tree)
    lines = repair_lines.recorder(tree, request["borrow"])
    repair_place.enter(tree, tree)
    types = repair_types.Types(tree)
    watcher = Watcher(tree, lines, types, request["targets"])
    lines.start()
    # By file, and the ids chosen afterwards: one id that pytest does not find would keep it from running any.
    files = dict.fromkeys(target.partition("::")[0] for target in request["targets"])
    there = [file for file in files if os.path.exists(file)]
    arguments = [*repair_place.options(tree), "--continue-on-collection-errors", "--", *there]
    code = repair_place.run(arguments, [watcher])
    types.stop()
    lines.stop()
    return {
        "tests": watcher.tests,
        "names": list(watcher.tests),
        **repair_lines.by_index(lines.found(), list(watcher.tests), tree),
        "types": types.found,
        "calls": types.calls.found,
        "modules": outside(tree),
        "exit": code,
        "errors": watcher.errors,
        "how": type(lines).__name__.replace("Lines", "").lower(),
    }


def outside(tree):
    """Modules that were imported from outside the tree: they don't change from candidate to candidate."""
    found = []
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        mine = isinstance(path, str) and (repair_place.under(path, tree) or os.path.dirname(path) == repair_place.KIT)
        if path and not mine and name.partition(".")[0] not in ("__main__", "coverage"):
            found.append(name)
    return found


def above(item):
    """The ids of what holds a test: its class, its file, its folders; without parameters, its own."""
    names = [node.nodeid for node in item.listchain()]
    return {*names, item.nodeid.partition("[")[0]}


class Watcher:
    """A pytest plugin: one context a test, and what failing tests say."""

    def __init__(self, tree, lines, types, targets):
        self.tree, self.lines, self.types, self.targets = tree, lines, types, set(targets)
        self.tests, self.errors, self.most = {}, [], HANG

    def pytest_configure(self, config):
        repair_place.alone(config)

    def pytest_collection(self):
        repair_place.distrust_bytecode(self.tree)

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.targets & {".", item.nodeid, *above(item)}]

    def pytest_runtest_logstart(self, nodeid, location):
        self.tests[nodeid] = {"outcome": "passed", "began": time.process_time(), "seconds": 0.0}
        self.lines.switch(nodeid)
        # What a test that hangs was ended with may have struck the profiler, which Python then takes away.
        self.types.calls.test = nodeid
        self.types.start()
        hanging.watch(self.most)

    def pytest_runtest_logfinish(self, nodeid, location):
        hanging.watch(0)
        self.types.stop()
        self.lines.switch("")
        test = self.tests[nodeid]
        test["seconds"] = time.process_time() - test.pop("began")
        if test.get("error") == hanging.TooSlow.__name__:
            test["hung"] = True
            # One that hangs has cost enough: the others get what is much for those that end.
            ended = [known["seconds"] for known in self.tests.values() if not known.get("hung")]
            self.most = min(self.most, 1.0 + 20 * max(ended, default=0.0))

    def pytest_runtest_logreport(self, report):
        test = self.tests[report.nodeid]
        if report.when == "setup":
            test["setup"] = report.duration
        if report.failed:
            test["outcome"] = "failed" if report.when == "call" else "error"
        elif report.skipped:
            test["outcome"] = "skipped"

    def pytest_exception_interact(self, node, call, report):
        frames = []
        for entry in call.excinfo.traceback:
            path = os.path.realpath(str(entry.path))
            if repair_place.under(path, self.tree):
                frames.append([os.path.relpath(path, self.tree), entry.lineno + 1, entry.name])
        words = str(report.longrepr)[-WORDS:]
        if node.nodeid in self.tests:
            self.tests[node.nodeid].update(frames=frames, words=words, error=call.excinfo.typename)
        else:
            self.errors.append([node.nodeid, words[-1000:]])


if __name__ == "__main__":
    main()
