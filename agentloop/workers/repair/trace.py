"""What one run of the tests told: outcomes, frames and words by test, tests by line, types and calls by function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentloop.workers.repair.source import Types

WORD = re.compile(r"[A-Za-z_]\w{2,}|\d+(?:\.\d+)?|'[^'\n]{1,40}'|\"[^\"\n]{1,40}\"")
"""Names, numbers and short texts."""

DULL = frozenset(
    {"assert", "def", "Error", "AssertionError", "self", "where", "not", "and", "True", "False", "None", "0", "1"}
)
"""Words that say nothing about a place."""


LEAST_SECONDS, SLACK = 0.15, 4.0
"""A test hangs when it takes this long and so many times what it took."""


@dataclass(frozen=True)
class Trace:
    """What `kit/repair_trace.py` wrote: tests with outcomes and frames, and file → line → tests that executed it."""

    tests: Mapping[str, Mapping[str, Any]]
    lines: Mapping[str, Mapping[int, tuple[str, ...]]]
    modules: tuple[str, ...] = ()
    why: str = ""
    imported: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Lines that also ran outside of tests."""
    types: Mapping[str, Types] = field(default_factory=dict)
    calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    """What could not be collected, in pytest's words."""

    @classmethod
    def parse(cls, answer: Mapping[str, Any]) -> Trace:
        """The trace in the answer of the kit."""
        names = answer.get("names", [])
        lines = {
            path: {int(line): tuple(names[i] for i in tests) for line, tests in found.items()}
            for path, found in answer.get("lines", {}).items()
        }
        errors = tuple(str(words) for _, words in answer.get("errors", ()))
        imported = {path: frozenset(numbers) for path, numbers in answer.get("imported", {}).items()}
        modules = tuple(answer.get("modules", ()))
        types: dict[str, Types] = {
            path: {int(line): names for line, names in found.items()} for path, found in answer.get("types", {}).items()
        }
        return cls(
            answer.get("tests", {}),
            lines,
            modules,
            answer.get("why", ""),
            imported,
            types,
            answer.get("calls", {}),
            errors,
        )

    def seconds(self, names: Iterable[str]) -> float:
        """How long these tests took together."""
        return float(sum(self.tests[name]["seconds"] for name in names if name in self.tests))

    def limits(self, names: Iterable[str]) -> dict[str, float]:
        """Seconds of processor time after which each of these tests is taken to hang."""
        known = {name: self.tests[name] for name in names if name in self.tests}
        ended = [test for test in known.values() if not test.get("hung")]
        # Every run sets up anew what here the first test of a session set up for all.
        setup = max((float(test.get("setup", 0.0)) for test in ended), default=0.0)
        usual = max((float(test["seconds"]) for test in ended), default=0.0)
        took = {name: usual if test.get("hung") else float(test["seconds"]) for name, test in known.items()}
        return {name: LEAST_SECONDS + SLACK * (seconds + setup) for name, seconds in took.items()}

    def words(self, failing: Iterable[str]) -> frozenset[str]:
        """Names and literals of the lines that failed and of what pytest says about them."""
        told = [line for test in failing for line in str(self.tests.get(test, {}).get("words", "")).splitlines()]
        return frozenset(WORD.findall("\n".join(line[1:] for line in told if line[:1] in ("E", ">")))) - DULL

    def covering(self, path: str, first: int, last: int) -> frozenset[str]:
        """Tests that execute a line from `first` to `last`, or, where none of these is known, the last line before."""
        known = self.lines.get(path, {})
        hit = [line for line in known if first <= line <= last]
        hit = hit or [max((line for line in known if line < first), default=0)]
        return frozenset(test for line in hit for test in known.get(line, ()))
