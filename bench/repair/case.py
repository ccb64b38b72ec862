"""What is measured, and what comes of it, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentloop.workers.repair.rank import Candidate

QUICK = "-p no:hypothesispytest -p no:xdist -p no:anyio -p no:timeout"
"""Keeps plugins of the interpreter, which are slow to load, out of suites that do not use them."""


@dataclass(frozen=True)
class Case:
    """A faulty program: all its files, the test files that decide, the whole suite, and what may change.

    `options` are pytest options for every run; `python` the interpreter, None for this one; `test_seconds` the
    processor time after which a single test counts as failed, where the bench itself runs the tests. `known` are the
    outcomes of the tests that matter, where they were found out before.
    """

    name: str
    files: Mapping[str, bytes]
    tests: tuple[str, ...]
    suite: tuple[str, ...]
    allowed: Callable[[str], bool]
    options: str = QUICK
    python: str | None = None
    test_seconds: float = 20.0
    known: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Limits:
    """What one case may cost: processor seconds of search, tracing not counted, and how many tests run at once."""

    cpu: float = 60.0
    slots: int = 2


@dataclass(frozen=True)
class Mended:
    """What came of a case. `seconds` and `cpu` are the search's alone, `tracing` is wall time before it,
    `gate` the wall time of the whole suite in a fresh tree and process after it, which is what a gate must do at least.

    `step` is the planner's step that found `plausible`; `broken` are tests of the whole suite that passed before and
    don't in a fresh process with the first choice made; `red` whether the deciding tests are still red then.
    """

    plausible: tuple[Candidate, ...] = ()
    seconds: float = 0.0
    cpu: float = 0.0
    tracing: float = 0.0
    tried: int = 0
    step: str = ""
    why: str = ""
    failing: int = 0
    gate: float = 0.0
    red: bool = True
    broken: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        """The templates of the first choice."""
        return "+".join(edit.template for edit in self.plausible[0].edits) if self.plausible else ""

    @property
    def held(self) -> bool:
        """Whether a patch was found that also holds in a fresh process, with nothing broken."""
        return bool(self.plausible) and not self.red and not self.broken


@dataclass(frozen=True)
class Tests:
    """Ids to turn green, and ids to keep green."""

    failing: tuple[str, ...]
    passing: tuple[str, ...]
