"""The kind `run`: a shell command, judged by its exit code and, if it writes one, its JUnit report."""

from __future__ import annotations

import os
import re
import secrets
import shlex
from typing import Any

from agentloop.checks.answer import answer, by_exit, exit_status, listed
from agentloop.checks.can_fail import cant_fail
from agentloop.checks.expected_ids import BAD, Seen, weigh
from agentloop.checks.junit_report import junit_outcomes, still_expected
from agentloop.checks.parameters import judging_files, key_problems, normal, path_problems
from agentloop.checks.scratch_file import read_scratch
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.process import Ran
from agentloop.ports import Bench

_NOTHING = r"(?:/usr/bin/|/bin/)?(?:true|:|exit(?:\s+0)?)"
_TALK = r"(?:echo|printf)\b[^|&;\n]*"
_ALWAYS = re.compile(rf"(?:\A|\|\|)\s*(?:{_NOTHING}|{_TALK})\s*\Z|;\s*{_NOTHING}\s*\Z|(?<!&)&\s*\Z")
"""Commands that exit 0 whatever the tree is like: nothing else in them, an end that swallows a failure, or a
process sent to the background."""


_GROUP = re.compile(r"[({]\s*([^(){}]*?)\s*;?\s*[)}]")
"""A command that is one group as a whole."""


def shell(text: str) -> tuple[str, ...]:
    """The argument list that runs `text`: any failing command, unset variable or broken pipe stage ends it."""
    return ("bash", "-euo", "pipefail", "-c", text)


def text_problems(text: Any) -> list[str]:
    """Whether `text` is a command that can fail."""
    if not isinstance(text, str):
        return [f"the command must be text; found {text!r}"]
    kept = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    bare = "\n".join(kept).strip().rstrip(";").rstrip()
    if not bare:
        return ["the command is empty"]
    if "\0" in bare:
        return ["the command holds a NUL character"]
    last = re.sub(r"\s#[^'\"\n]*\Z", "", bare).rstrip()
    if _ALWAYS.search(group[1] if (group := _GROUP.fullmatch(last)) else last):
        return [f"the command can't fail, so it decides nothing: {text.strip()!r}"]
    return []


def unittest_problems(text: Any) -> list[str]:
    """Whether `text` are arguments of unittest."""
    if not isinstance(text, str) or not text.strip():
        return [f"unittest wants its arguments, such as 'discover -s tests'; found {text!r}"]
    try:
        words = shlex.split(text)
    except ValueError as error:
        return [f"unittest: {text!r} can't be read: {error}"]
    return ["the arguments hold a NUL character"] if any("\0" in word for word in words) else []


def unittest_files(text: str) -> list[str]:
    """The files and folders that the arguments name, also as dotted modules: they are tests, whatever their names."""
    named = []
    for word in shlex.split(text):
        if re.fullmatch(r"\w+(\.\w+)+", word) and not word.endswith(".py"):
            parts = word.split(".")
            named += ["/".join(parts[:end]) + ".py" for end in range(1, len(parts) + 1)]
        else:
            named += [normal(word)] if word.endswith(".py") and not word.startswith(("-", "/", "..")) else []
    return sorted(set(named))


class Run:
    """``run: TEXT``, ``{cmd: TEXT, junit: PATH}`` or ``{unittest: ARGS}``; TEXT as ``bash -euo pipefail -c TEXT``.

    Exit code 0 passes; 126 and 127 (not executable, not found) are `error`. With `junit` the report that the
    command writes to PATH must also hold a test that was executed, no failing one, and each expected id
    (``classname::name``) as passed. `unittest` is ``python -m unittest ARGS`` with such a report of our own. A bare
    command that starts a known test runner must have tests to run, and turn red where they are made to fail.
    """

    kind = "run"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the command."""
        if not isinstance(params, dict):
            return text_problems(params)
        if "unittest" in params:
            return key_problems(params, ("unittest",)) + unittest_problems(params["unittest"])
        found, said = key_problems(params, ("cmd", "junit", "unittest")), text_problems(params.get("cmd"))
        if "junit" not in params:
            return found + said
        # A swallowed exit code does no harm where a report decides.
        found += [problem for problem in said if "can't fail" not in problem]
        return found + path_problems("junit", params["junit"])

    def files(self, params: Any) -> list[str]:
        """Scripts, tests and expected output that the command names."""
        if isinstance(params, dict) and "unittest" in params:
            return unittest_files(params["unittest"])
        text = params["cmd"] if isinstance(params, dict) else params
        try:
            words = shlex.split(text, comments=True)
        except ValueError:
            words = text.split()
        return judging_files(re.split(r"[;|&<>()]", word)[0] for word in words)

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run the command once."""
        params = spec.params if isinstance(spec.params, dict) else {"cmd": spec.params}
        if "unittest" in params:
            return _unittest(spec, bench, params["unittest"])
        argv = shell(params["cmd"])
        report = params.get("junit")
        if report and normal(report) in bench.tree:
            reason = f"{report} is in the tree already, so it can't be told from what the command writes"
            return answer(spec, bench, "error", reason)
        ran = bench.launch(argv, spec.timeout, {})
        if report:
            return _with_report(spec, bench, argv, ran, read_scratch(bench.folder, report), report)
        if ran.ok and bench.tree.digest == bench.base.digest and spec.expect == "green":
            red = lambda copy: not copy.launch(argv, spec.timeout, {}).ok  # noqa: E731
            if why := cant_fail(params["cmd"], bench, red):
                return answer(spec, bench, "error", why, ran, argv=argv)
        return by_exit(spec, bench, argv, ran)


def _unittest(spec: CheckSpec, bench: Bench, text: str) -> CheckResult:
    """`python -m unittest` by way of the kit, which leaves a report where no command of the tree's would put one."""
    name = f"unittest-{secrets.token_hex(8)}.xml"
    report = os.path.join(bench.scratch, name)
    argv = (bench.python.executable, os.path.join(bench.kit, "unittest_junit.py"), report, *shlex.split(text))
    ran = bench.launch(argv, spec.timeout, {})
    return _with_report(spec, bench, argv, ran, read_scratch(bench.scratch, name), "of the tests")


def _with_report(
    spec: CheckSpec, bench: Bench, argv: tuple[str, ...], ran: Ran, data: bytes | None, path: str
) -> CheckResult:
    status, reason = exit_status(ran)
    if status == "error":
        return answer(spec, bench, status, reason, ran, argv=argv)
    if data is None:
        return answer(spec, bench, "failed", f"{ran.said}; it wrote no report {path}", ran, argv=argv)
    try:
        outcomes = junit_outcomes(data, bench.folder)
    except ValueError as error:
        return answer(spec, bench, "failed", f"the report {path}: {error}", ran, argv=argv)
    weighed = weigh(Seen(outcomes), still_expected(bench.expected, outcomes, bench.tree))
    bad = sorted(key for key, outcome in outcomes.items() if outcome in BAD)
    reason = weighed.reason or (f"{len(bad)} failing: {listed(bad)}" if bad else reason)
    tests = {"ids": weighed.ids, "failing": weighed.failing, "skipped": weighed.skipped}
    return answer(spec, bench, "failed" if reason else "passed", reason, ran, argv=argv, **tests)
