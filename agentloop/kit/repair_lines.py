"""Which lines each test executes: by the package `coverage`, or by `sys.settrace` where that is not to be had."""

import contextlib
import os
import sys
import threading

import repair_place  # type: ignore[import-not-found]


class CoverageLines:
    """Lines by coverage, with a context for each test."""

    def __init__(self, coverage, tree):
        # sys.monitoring, the default core of new Pythons, sees each line once and so knows no contexts.
        os.environ.setdefault("COVERAGE_CORE", "ctrace")
        self.measure = coverage.Coverage(
            data_file=None, config_file=False, include=[os.path.join(tree, "*")], messages=False
        )
        self.measure._warn_no_data = False

    def start(self):
        self.measure.start()

    def stop(self):
        self.measure.stop()

    def switch(self, name):
        self.measure.switch_context(name)

    def found(self):
        """File → line → names of tests; lines that ran outside of tests have none."""
        data = self.measure.get_data()
        return {path: data.contexts_by_lineno(path) for path in data.measured_files()}


class TracedLines:
    """Lines by sys.settrace; slower, and blind to what a test does while it traces by itself."""

    def __init__(self, tree):
        self.tree = tree + os.sep
        self.name = ""
        self.lines = {}
        self.known = {}

    def start(self):
        threading.settrace(self.called)
        sys.settrace(self.called)

    def stop(self):
        sys.settrace(None)
        threading.settrace(None)

    def switch(self, name):
        self.name = name
        sys.settrace(self.called)

    def found(self):
        """File → line → names of tests; lines that ran outside of tests have none."""
        return self.lines

    def called(self, frame, event, argument):
        name = frame.f_code.co_filename
        if name not in self.known:
            path = os.path.realpath(name)
            mine = path.startswith(self.tree) and path.endswith(".py")
            self.known[name] = self.lines.setdefault(path, {}) if mine else None
        if self.known[name] is None:
            return None
        return self.stepped

    def stepped(self, frame, event, argument):
        if event == "line":
            lines = self.known[frame.f_code.co_filename]
            lines.setdefault(frame.f_lineno, {})[self.name] = True
        return self.stepped


def recorder(tree, borrow):
    """What records lines here."""
    with contextlib.suppress(ImportError):
        if borrow is not None:
            return CoverageLines(repair_place.borrowed("coverage", borrow), tree)
    return TracedLines(tree)


def by_index(found, names, tree):
    """`found` with paths relative to the tree and tests by index, without the tests' own files, as `lines`;
    `imported` are the lines that ran outside of tests."""
    index = {name: number for number, name in enumerate(names)}
    own = {name.partition("::")[0] for name in names}
    lines, imported = {}, {}
    for path, contexts in found.items():
        relative = os.path.relpath(os.path.realpath(path), tree)
        if relative.endswith(".py") and relative not in own and os.path.basename(relative) != "conftest.py":
            lines[relative] = {
                line: [index[name] for name in tests if name in index] for line, tests in contexts.items()
            }
            imported[relative] = [line for line, tests in contexts.items() if not all(name in index for name in tests)]
    return {"lines": lines, "imported": imported}
