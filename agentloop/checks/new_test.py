"""The kind `new_test`: a test that this run wrote shows the fault: red on base, green on the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentloop.checks.answer import answer, listed
from agentloop.checks.expected_ids import BAD, GOOD
from agentloop.checks.new_test_depth import shallow
from agentloop.checks.new_test_files import NewFiles, new_files
from agentloop.checks.parameters import key_problems, path_problems, text_list_problems
from agentloop.checks.pytest_ids import unfinished, within
from agentloop.checks.pytest_run import PytestRun, Report, run_pytest
from agentloop.core.check import CheckResult, CheckSpec, Status
from agentloop.core.tree import Tree
from agentloop.ports import Bench


class Verdict(Exception):
    """The check is decided: `status`, why, and the tests that are to blame."""

    def __init__(self, status: Status, reason: str, run: PytestRun | None = None, failing: list[str] | None = None):
        super().__init__(reason)
        self.status: Status = status
        self.reason = reason
        self.run = run
        self.failing = failing or []


class NewTest:
    """``new_test: GLOB`` or ``{path: GLOB, source: [GLOB]}``: pytest files that are new against base.

    Each test in them passes on the tree and fails on base (with the new test files put in), and again with the
    change to `source` (default: everything but the new files) taken back. They notice at least one of a few faults
    that are put into the changed lines (Python), and where several files were changed, that one of them is taken
    back alone. With ``expect: red``, for a task that reproduces a fault, each fails now, on base as well, and no
    other test beside them was turned red.
    """

    kind = "new_test"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the globs."""
        if not isinstance(params, dict):
            return path_problems("new_test", params)
        found = key_problems(params, ("path", "source")) + path_problems("path", params.get("path"))
        return found + (text_list_problems("source", params["source"]) if "source" in params else [])

    def files(self, params: Any) -> list[str]:
        """None: the run has to write them."""
        return []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run the new tests on the tree, and on base."""
        params = spec.params if isinstance(spec.params, dict) else {"path": spec.params}
        new = new_files(bench.base, bench.tree, params["path"], params.get("source"))
        first = replace(bench, expected=None)
        try:
            if not new.tests:
                raise Verdict("failed", f"not written: {new.absent}")
            run, seen = _reproduced(spec, first, new) if spec.expect == "red" else _shown(spec, first, new)
        except Verdict as decided:
            ran, argv = (decided.run.ran, decided.run.argv) if decided.run else (None, ())
            return answer(spec, bench, decided.status, decided.reason, ran, argv=argv, failing=decided.failing)
        ids = sorted(_report(run, bench).seen.outcomes)
        held = "visible" if _report(run, bench).canary == "failed" else "exit-code"
        return answer(spec, bench, "passed", "", run.ran, argv=run.argv, ids=ids, seen=seen, strength=held)


def _shown(spec: CheckSpec, bench: Bench, new: NewFiles) -> tuple[PytestRun, tuple[str, ...]]:
    """The tests pass, fail wherever the source change is missing, and notice faults in it. What was seen beside."""
    run, outcomes = _outcomes(spec, bench, list(new.tests))
    failing = [test for test, outcome in outcomes.items() if outcome not in GOOD]
    if failing:
        raise Verdict("failed", f"{_count(failing)} not pass: {listed(failing)}", run, failing)
    for tree, place in new.without(bench.base, bench.tree):
        _red_on(spec, bench, tree, place, new, list(outcomes))
    reason, seen = shallow(bench, new, run, spec.timeout)
    if reason:
        raise Verdict("failed", reason, run, sorted(outcomes))
    return run, (seen,) if seen else ()


def _reproduced(spec: CheckSpec, bench: Bench, new: NewFiles) -> tuple[PytestRun, tuple[str, ...]]:
    """The tests fail, here and on base, and nothing beside them was turned red."""
    run, outcomes = _outcomes(spec, bench, list(new.tests))
    green = [test for test, outcome in outcomes.items() if outcome != "failed"]
    if green:
        shown = {test: outcomes[test] for test in green}
        reason = f"{_count(green)} not fail by itself: {listed(f'{key} ({value})' for key, value in shown.items())}"
        raise Verdict("failed", reason, run, green)
    for tree, place in new.without(bench.base, bench.tree):
        if tree != bench.tree:
            _red_on(spec, bench, tree, place, new, list(outcomes))
    if new.beside:
        _, others = _outcomes(spec, bench, list(new.beside), strict=False)
        red = sorted(test for test, outcome in others.items() if outcome in BAD)
        if red:
            with bench.again(bench.base) as base:
                _, before = _outcomes(spec, replace(base, expected=None), list(new.beside), strict=False)
            if turned := [test for test in red if before.get(test) not in BAD]:
                raise Verdict("failed", f"tests other than the new ones fail too: {listed(turned)}", run, turned)
    return run, ()


def _red_on(spec: CheckSpec, bench: Bench, tree: Tree, place: str, new: NewFiles, tests: list[str]) -> None:
    """Raise Verdict where one of `tests` does not fail on `tree`."""
    with bench.again(tree) as other:
        other = replace(other, base=bench.base, expected=None)
        run, outcomes = _outcomes(spec, other, list(new.tests), strict=False)
    red = [key for key, outcome in outcomes.items() if outcome in BAD]
    green = [test for test in tests if not any(within(key, test) for key in red)]
    if green:
        raise Verdict("failed", f"passes on {place}: it shows no fault: {listed(green)}", run, green)


def _outcomes(
    spec: CheckSpec, bench: Bench, files: list[str], *, strict: bool = True
) -> tuple[PytestRun, Mapping[str, str]]:
    """What became of each test in `files`. `strict`: there must be tests, and all files be collected.

    Without it what could not be collected stands as an `error` among the outcomes, and a process that died makes
    all files errors. Raises Verdict.
    """
    run = run_pytest(bench, files, files, (), spec.timeout)
    if run.report is None or not run.report.started:
        status, reason = unfinished(run, bench)
        if status == "failed" and not strict:
            return run, dict.fromkeys(files, "error")
        raise Verdict(status, reason, run)
    report = _report(run, bench)
    if report.canary in GOOD:
        raise Verdict("tamper", "a planted test that must fail has passed: the code disarms the test runner", run)
    seen = report.seen
    if not strict:
        return run, {**seen.outcomes, **dict.fromkeys(seen.errors, "error")}
    if seen.errors:
        words = [f"{key} ({why})" for key, why in sorted(seen.errors.items())]
        raise Verdict("failed", f"can't be collected: {listed(words)}", run, sorted(seen.errors))
    idle = [path for path in files if not any(within(path, test) for test in seen.outcomes)]
    if idle:
        raise Verdict("failed", f"no test was executed in {listed(idle)}", run, idle)
    return run, seen.outcomes


def _report(run: PytestRun, bench: Bench) -> Report:
    """The report of a run that is known to have one."""
    if run.report is None:
        raise Verdict("error", unfinished(run, bench)[1], run)
    return run.report


def _count(tests: list[str]) -> str:
    return "1 new test does" if len(tests) == 1 else f"{len(tests)} new tests do"
