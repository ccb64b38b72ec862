"""Runs ``python -m unittest ARGS`` and writes what became of each test as a JUnit report.

Called as ``python unittest_junit.py REPORT ARGS…`` in the tree's root, by the interpreter of the tree's own tests. Exit
code 0 only where a test was executed and none failed. The report is written last and whole, or not at all.
"""

from __future__ import annotations

import os
import re
import sys
import unittest
from typing import Any
from xml.sax.saxutils import quoteattr

_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ORDER = ("passed", "skipped", "failed", "error")
_FAILED_TO_LOAD = "unittest.loader._FailedTest."


def split_id(test_id: str) -> tuple[str, str]:
    """Class and name of a test; a module that could not be loaded is named by its file, where that is there."""
    if test_id.startswith(_FAILED_TO_LOAD):
        module = test_id[len(_FAILED_TO_LOAD) :]
        path = module.replace(".", "/") + ".py"
        return "", path if os.path.isfile(path) else module
    if found := re.fullmatch(r"(setUp|tearDown)(Class|Module) \((.*)\)", test_id):
        return found[3], found[1] + found[2]
    before, _, name = test_id.rpartition(".")
    return before, name


class Recorder(unittest.TextTestResult):
    """Notes the worst outcome of each test; one that is expected to fail shows nothing."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.outcomes: dict[str, str] = {}

    def note(self, test, outcome):
        key = test.id()
        self.outcomes[key] = max(outcome, self.outcomes.get(key, outcome), key=_ORDER.index)

    def addSuccess(self, test):  # noqa: N802 -- unittest's own names, here and below
        super().addSuccess(test)
        self.note(test, "passed")

    def addError(self, test, err):  # noqa: N802
        super().addError(test, err)
        self.note(test, "error")

    def addFailure(self, test, err):  # noqa: N802
        super().addFailure(test, err)
        self.note(test, "failed")

    def addSkip(self, test, reason):  # noqa: N802
        super().addSkip(test, reason)
        self.note(test, "skipped")

    def addExpectedFailure(self, test, err):  # noqa: N802
        super().addExpectedFailure(test, err)
        self.note(test, "skipped")

    def addUnexpectedSuccess(self, test):  # noqa: N802
        super().addUnexpectedSuccess(test)
        self.note(test, "failed")

    def addSubTest(self, test, subtest, err):  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "failed")


class Runner(unittest.TextTestRunner):
    """unittest's own runner, which keeps all of its options."""

    resultclass = Recorder


def junit(outcomes: dict[str, str]) -> str:
    """The report."""
    lines = ["<testsuites>", '<testsuite name="unittest">']
    inner = {"passed": "", "skipped": "<skipped/>", "failed": "<failure/>", "error": "<error/>"}
    for test_id, outcome in sorted(outcomes.items()):
        clean = _ILLEGAL.sub(lambda found: ascii(found[0])[1:-1], test_id)
        owner, name = map(quoteattr, split_id(clean))
        lines.append(f"<testcase classname={owner} name={name}>{inner[outcome]}</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>"])


def main(report: str, args: list[str]) -> int:
    """Run the tests, write the report; the exit code."""
    sys.path[0] = os.getcwd()  # as `python -m unittest` has it, in place of this script's folder
    program = unittest.TestProgram(module=None, argv=["unittest", *args], testRunner=Runner, exit=False)
    result: Any = program.result
    with open(report + ".part", "w", encoding="utf-8") as file:
        file.write(junit(result.outcomes))
    os.replace(report + ".part", report)
    executed = [test for test, outcome in result.outcomes.items() if outcome != "skipped"]
    return 0 if result.wasSuccessful() and executed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
