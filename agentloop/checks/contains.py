"""The kind `contains`: how often a text or pattern occurs in a file, a command's output, or the findings."""

from __future__ import annotations

import re
from typing import Any

from agentloop.checks.answer import answer, exit_status
from agentloop.checks.bounded import Unbounded, bounded
from agentloop.checks.parameters import judging_files, key_problems, pattern_problems
from agentloop.checks.run import shell, text_problems
from agentloop.checks.subject import NoSubject, file_of, findings_of, subject_problems
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.process import Captured, Ran
from agentloop.ports import Bench

KEYS = ("file", "run", "artifact", "text", "pattern", "count", "min", "max")


class Contains:
    """``contains: {file: PATH | run: SHELL | artifact: findings, text: … | pattern: …, count: N | min: N, max: N}``.

    `text` is literal, `pattern` a Python regular expression in which ^ and $ stand at every line. Without a number
    it must occur at least once. A command must exit 0; its stdout and stderr are looked at.
    """

    kind = "contains"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the parameters."""
        if not isinstance(params, dict):
            return [f"contains wants a map with file, run or artifact, and text or pattern; found {params!r}"]
        found = key_problems(params, KEYS)
        found += subject_problems(params, ("file", "run", "artifact"))
        if "run" in params:
            found += _command_problems(params["run"])
        if ("text" in params) == ("pattern" in params):
            found.append("exactly one of text and pattern is wanted")
        elif "pattern" in params:
            found += pattern_problems("pattern", params["pattern"]) or _empty_problems(params)
        elif not isinstance(params["text"], str) or not params["text"]:
            found.append(f"text must be text; found {params['text']!r}")
        return found + _number_problems(params)

    def files(self, params: Any) -> list[str]:
        """What the command rests on; the file that is looked at is what the run may write."""
        return judging_files(params["run"].split()) if "run" in params else []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Count, and compare the number."""
        params = spec.params
        ran: Ran | None = None
        argv: tuple[str, ...] = ()
        if "run" in params:
            argv = shell(params["run"])
            ran = bench.launch(argv, spec.timeout, {})
            status, reason = exit_status(ran)
            if status != "passed":
                return answer(spec, bench, status, reason, ran, argv=argv)
        try:
            count = _count(params, _text(params, bench, ran), spec.timeout)
        except NoSubject as none:
            return answer(spec, bench, "failed" if none.failed else "error", none.reason, ran, argv=argv)
        except Unbounded as none:
            result = answer(spec, bench, "failed" if none.timed_out else "error", none.reason, ran, argv=argv)
            return result.model_copy(update={"timed_out": none.timed_out})
        low, high = _bounds(params)
        well = low <= count and (high is None or count <= high)
        what = repr(params.get("text", params.get("pattern")))
        reason = "" if well else f"{what} occurs {count} times; wanted {_wanted(low, high)}"
        return answer(spec, bench, "passed" if well else "failed", reason, ran, argv=argv)


def _text(params: dict[str, Any], bench: Bench, ran: Ran | None) -> bytes:
    if ran is not None:
        return _whole(ran.stdout) + _whole(ran.stderr)
    if "file" in params:
        return file_of(bench, params["file"])
    parts = [value for finding in findings_of(bench) for value in finding.values() if value]
    return "\n".join(parts).encode("utf-8", "replace")


def _whole(stream: Captured) -> bytes:
    """All that was printed. Raises NoSubject where some was left out: a count of the rest would be wrong."""
    kept = stream.head + stream.tail
    if stream.total > len(kept):
        raise NoSubject(f"the command printed {stream.total} bytes, too many to look at", failed=False)
    return kept


def _count(params: dict[str, Any], data: bytes, timeout: float) -> int:
    if "text" in params:
        return data.count(params["text"].encode("utf-8", "surrogateescape"))
    return int(bounded("count", data, timeout, pattern=params["pattern"])["count"])


def _bounds(params: dict[str, Any]) -> tuple[int, int | None]:
    if "count" in params:
        return params["count"], params["count"]
    return params.get("min", 0 if "max" in params else 1), params.get("max")


def _wanted(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"exactly {low}" if low == high else f"{low} to {high}" if low else f"at most {high}"


def _command_problems(text: Any) -> list[str]:
    """A command that always exits 0 is no problem here: what it prints decides."""
    return [problem for problem in text_problems(text) if "can't fail" not in problem]


def _empty_problems(params: dict[str, Any]) -> list[str]:
    """A pattern that matches the empty text occurs everywhere."""
    if any(key in params for key in ("count", "min", "max")) or not re.search(params["pattern"], ""):
        return []
    return [f"pattern {params['pattern']!r} matches even the empty text, so the check can't fail"]


def _number_problems(params: dict[str, Any]) -> list[str]:
    given = {key: params[key] for key in ("count", "min", "max") if key in params}
    found = [
        f"{key} must be a whole number, 0 or more; found {value!r}"
        for key, value in given.items()
        if not isinstance(value, int) or isinstance(value, bool) or value < 0
    ]
    if found:
        return found
    if "count" in given and len(given) > 1:
        return ["count says the exact number; min and max can't stand beside it"]
    low, high = _bounds(params)
    if high is not None and low > high:
        return [f"min is {low} and max is {high}, so the check can't pass"]
    if low == 0 and high is None:
        return ["min: 0 allows everything, so the check can't fail"]
    return []
