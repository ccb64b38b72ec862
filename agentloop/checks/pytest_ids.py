"""The kind `pytest`: each expected test is executed and passes, as our own launcher saw it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentloop.checks.answer import answer, listed
from agentloop.checks.expected_ids import GOOD, Seen, weigh
from agentloop.checks.parameters import key_problems, normal, path_problems
from agentloop.checks.pytest_run import PytestRun, Report, run_pytest
from agentloop.checks.twin import with_twin
from agentloop.core.check import CheckResult, CheckSpec, Status
from agentloop.core.tree import Tree
from agentloop.ports import Bench

OPTIONS = ("-k", "-m")


class Pytest:
    """``pytest: PATH-or-ID``, a list of them, or ``{ids: [...], args: ["-k", EXPR]}`` (`-k` and `-m` only).

    The result holds the ids that passed, that failed or could not be collected, and that were skipped or
    failed as expected. The verdict never comes from what was printed.
    """

    kind = "pytest"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the ids and arguments."""
        found = key_problems(params, ("ids", "args")) if isinstance(params, dict) else []
        ids, args = _parts(params)
        if not isinstance(ids, list | tuple) or not ids:
            return [*found, f"pytest wants a test file, a folder, a test id or a list of them; found {ids!r}"]
        for test in ids:
            if isinstance(test, str) and test.startswith("-"):
                found.append(f"{test!r} is an option; pytest takes paths and test ids, and `args: [-k, EXPR]`")
            elif not (isinstance(test, str) and test and normal(test) == "."):
                path = test.partition("::")[0] if isinstance(test, str) else test
                found += path_problems("a test", path)
        return found + _option_problems(args)

    def files(self, params: Any) -> list[str]:
        """The test files and folders."""
        return sorted({split(test)[0] for test in _parts(params)[0]})

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run the expected ids, or all that the parameters name where none are known yet."""
        named, options = _parts(spec.params)
        wanted = [normal_id(test) for test in named]
        if bench.expected:
            wanted, options = list(bench.expected), []
        elif missing := [path for path, _ in map(split, named) if not exists(bench.tree, path)]:
            known = all(exists(bench.base, path) for path in missing)
            reason = f"no such file: {listed(missing)}" + (" (it was on base)" if known else "")
            return answer(spec, bench, "failed" if known else "error", reason, failing=wanted)
        targets = [path for path in dict.fromkeys(split(test)[0] for test in wanted) if exists(bench.tree, path)]
        if not targets:
            return answer(spec, bench, "failed", "none of the expected test files is there", failing=wanted)
        run = run_pytest(bench, targets, wanted, options, spec.timeout)
        if run.report is None or not run.report.started:
            status, reason = unfinished(run, bench)
            return answer(spec, bench, status, reason, run.ran, argv=run.argv)
        result = _judged(spec, bench, run, run.report, [] if bench.expected else wanted)
        return with_twin(spec, bench, result) if bench.twins and result.passed else result


def _judged(spec: CheckSpec, bench: Bench, run: PytestRun, report: Report, wanted: list[str]) -> CheckResult:
    weighed = weigh(report.seen, bench.expected)
    reason = weighed.reason
    known = [*report.collected, *report.seen.errors]
    lost = [test for test in wanted if "::" in test and not any(within(test, key) for key in known)]
    if lost:
        reason = f"not collected: {listed(lost)}"
    status: Status = "failed" if reason else "passed"
    if report.canary in GOOD:
        status, reason = "tamper", "a planted test that must fail has passed: the code disarms the test runner"
    return answer(
        spec,
        bench,
        status,
        reason,
        run.ran,
        argv=run.argv,
        ids=weighed.ids,
        failing=sorted({*weighed.failing, *lost}),
        skipped=weighed.skipped,
        strength="visible" if report.canary == "failed" else "exit-code",
    )


def unfinished(run: PytestRun, bench: Bench) -> tuple[Status, str]:
    """What a run without a session's report means."""
    python = bench.python.executable
    if run.ran.missing:
        return "error", f"{python}: {run.ran.said}"
    if not run.began:
        return "error", f"{python} did not get as far as pytest ({run.ran.said})"
    if run.report is None:
        hint = "" if run.ran.timed_out else "; something ended the process before the tests were through"
        return "failed", f"{run.ran.said}, without a report{hint}"
    if not run.report.pytest:
        return "error", f"{python} can't import pytest: {run.report.why}; try `{python} -m pip install pytest`"
    said = run.ran.stderr.text.strip().splitlines()
    telling = [line for line in said if "error: " in line] or said[-1:] or [run.ran.said]
    reason = f"pytest could not start: {run.report.why or telling[0]}"
    # On base a wrong option or a missing plugin is the environment's fault; a conftest.py that raises may be
    # the very fault to mend. Once base has worked, it is the change that keeps pytest from starting.
    ours = run.report.conftest_failed or bench.expected is not None
    return ("failed" if ours else "error"), reason


def seen_by(run: PytestRun) -> Seen | None:
    """The outcomes of a run that came to its end, None otherwise."""
    return run.report.seen if run.report and run.report.started else None


def split(test: str) -> tuple[str, str]:
    """A test id as its path, normalised, and the rest."""
    path, _, inner = test.partition("::")
    return normal(path), inner


def normal_id(test: str) -> str:
    """The id as pytest spells it."""
    path, inner = split(test)
    return f"{path}::{inner}" if inner else path


def within(outer: str, test: str) -> bool:
    """Whether `test` is `outer` or lies in it."""
    return outer == "." or test == outer or test.startswith((f"{outer}::", f"{outer}/", f"{outer}["))


def exists(tree: Tree, path: str) -> bool:
    """Whether the tree has a file or folder of that name; ``.`` is always there."""
    return path == "." or path in tree or any(name.startswith(f"{path}/") for name in tree)


def _parts(params: Any) -> tuple[Any, list[str]]:
    """The ids and the options of whatever form the parameters have."""
    if isinstance(params, dict):
        ids = params.get("ids")
        return ([ids] if isinstance(ids, str) else ids), params.get("args", [])
    return ([params] if isinstance(params, str) else params), []


def _option_problems(args: Any) -> list[str]:
    texts: Sequence[Any] = args if isinstance(args, list | tuple) else [args]
    pairs: Iterable[tuple[Any, Any]] = zip(texts[::2], texts[1::2], strict=False)
    well = all(name in OPTIONS and isinstance(value, str) and value for name, value in pairs)
    if well and len(texts) % 2 == 0:
        return []
    return [f"args may hold -k and -m, each followed by its expression; found {args!r}"]
