"""What holds for every kind of check: parameters are looked at first, `repeat`, and `expect: red`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentloop.checks.answer import answer
from agentloop.core.check import CheckResult, CheckSpec, Status
from agentloop.ports import Bench, Check


class Taken:
    """A leaf with `repeat` and `expect` around it.

    `reads_expect`: the leaf itself knows what red means for it, so its answer is not turned round.
    """

    def __init__(self, leaf: Check, *, reads_expect: bool = False) -> None:
        self.leaf = leaf
        self.__doc__ = leaf.__doc__
        self.kind = leaf.kind
        self.reads_expect = reads_expect

    def problems(self, params: Any) -> list[str]:
        """As the leaf says."""
        return self.leaf.problems(params)

    def files(self, params: Any) -> list[str]:
        """As the leaf says; none where the parameters are wrong."""
        return [] if self.leaf.problems(params) else self.leaf.files(params)

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Take the check `spec.repeat` times, each time in a fresh tree; the first that does not pass decides."""
        if found := self.leaf.problems(spec.params):
            return answer(spec, bench, "error", "; ".join(found))
        result = self._once(spec, bench)
        seconds = result.seconds
        for number in range(2, spec.repeat + 1):
            if not result.passed:
                break
            with bench.again(bench.tree) as fresh:
                same = replace(fresh, base=bench.base, expected=bench.expected, findings=bench.findings)
                result = self._once(spec, same)
            seconds += result.seconds
            if not result.passed:
                reason = f"run {number} of {spec.repeat}: {result.reason}"
                result = result.model_copy(update={"reason": reason})
        return result.model_copy(update={"seconds": seconds})

    def _once(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        try:
            result = self.leaf.run(spec, bench)
        except OSError as error:
            return answer(spec, bench, "error", f"could not run: {error}")
        return turned(result) if spec.expect == "red" and not self.reads_expect else result


def turned(result: CheckResult) -> CheckResult:
    """Passed becomes failed and the other way round; what could not run, or tampered, stays what it is."""
    status: Status
    if result.status == "passed":
        status, reason = "failed", "passes, but is expected to be red"
    elif result.status == "failed":
        status, reason = "passed", f"red as expected: {result.reason}"
    else:
        return result
    return result.model_copy(update={"status": status, "reason": reason})
