"""The kind `run`: a shell command, judged by its exit code and, if it writes one, its JUnit report."""

from __future__ import annotations

import re
import shlex
from typing import Any

from agentloop.checks.answer import answer, by_exit, exit_status, listed
from agentloop.checks.expected_ids import BAD, Seen, weigh
from agentloop.checks.junit_report import junit_outcomes
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
    if _ALWAYS.search(bare):
        return [f"the command can't fail, so it decides nothing: {text.strip()!r}"]
    return []


class Run:
    """``run: TEXT`` or ``{cmd: TEXT, junit: PATH}``, executed as ``bash -euo pipefail -c TEXT`` in the tree.

    Exit code 0 passes; 126 and 127 (not executable, not found) are `error`. With `junit` the report that the
    command writes to PATH must also hold a test that was executed, no failing one, and each expected id
    (``classname::name``) as passed.
    """

    kind = "run"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the command."""
        if not isinstance(params, dict):
            return text_problems(params)
        found = key_problems(params, ("cmd", "junit")) + text_problems(params.get("cmd"))
        return found + (path_problems("junit", params["junit"]) if "junit" in params else [])

    def files(self, params: Any) -> list[str]:
        """Scripts, tests and expected output that the command names."""
        text = params["cmd"] if isinstance(params, dict) else params
        try:
            words = shlex.split(text, comments=True)
        except ValueError:
            words = text.split()
        return judging_files(re.split(r"[;|&<>()]", word)[0] for word in words)

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run the command once."""
        params = spec.params if isinstance(spec.params, dict) else {"cmd": spec.params}
        argv = shell(params["cmd"])
        report = params.get("junit")
        if report and normal(report) in bench.tree:
            reason = f"{report} is in the tree already, so it can't be told from what the command writes"
            return answer(spec, bench, "error", reason)
        ran = bench.launch(argv, spec.timeout, {})
        return _with_report(spec, bench, argv, ran, report) if report else by_exit(spec, bench, argv, ran)


def _with_report(spec: CheckSpec, bench: Bench, argv: tuple[str, ...], ran: Ran, path: str) -> CheckResult:
    status, reason = exit_status(ran)
    if status == "error":
        return answer(spec, bench, status, reason, ran, argv=argv)
    data = read_scratch(bench.folder, path)
    if data is None:
        return answer(spec, bench, "failed", f"{ran.said}; it wrote no report {path}", ran, argv=argv)
    try:
        outcomes = junit_outcomes(data)
    except ValueError as error:
        return answer(spec, bench, "failed", f"{path}: {error}", ran, argv=argv)
    weighed = weigh(Seen(outcomes), bench.expected)
    bad = sorted(key for key, outcome in outcomes.items() if outcome in BAD)
    reason = weighed.reason or (f"{len(bad)} failing: {listed(bad)}" if bad else reason)
    tests = {"ids": weighed.ids, "failing": weighed.failing, "skipped": weighed.skipped}
    return answer(spec, bench, "failed" if reason else "passed", reason, ran, argv=argv, **tests)
