"""A task, the artifact it produces, the plan it comes from, and facts."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from agentloop.core.check import CheckSpec
from agentloop.core.digest import fingerprint
from agentloop.core.frozen import Frozen, Passage, Short

Claim = Literal["done", "replan", "abort"]
MAX_TASKS = 3

Name = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")


class Task(Frozen):
    """One directive for one capability. Files are globs relative to the tree's root.

    `toward` names the goal checks it serves; `needs` earlier tasks whose verified findings it is shown;
    `assumes` the plan's assumptions it rests on; `may_break` goal checks that it may turn red.
    `expected_cost` is in US dollars.
    """

    id: str = Name
    capability: str
    directive: str = Field(min_length=1, max_length=8_000)
    toward: tuple[str, ...] = Field((), max_length=8)
    reads: tuple[str, ...] = Field((), max_length=20)
    writes: tuple[str, ...] = Field((), max_length=20)
    needs: tuple[str, ...] = Field((), max_length=3)
    assumes: tuple[str, ...] = Field((), max_length=4)
    may_break: tuple[str, ...] = Field((), max_length=3)
    acceptance: tuple[CheckSpec, ...] = ()
    expected_cost: float | None = Field(None, ge=0)

    @cached_property
    def signature(self) -> str:
        """Equal for tasks that are the same but for wording: numbers, case and punctuation do not count."""
        words = " ".join(re.findall(r"[a-z_]+", self.directive.lower()))
        checks = sorted(check.key for check in self.acceptance)
        return fingerprint([self.capability, sorted(self.reads), sorted(self.writes), checks, words])


class Assumption(Frozen):
    """Something a plan rests on; an executor may report it broken by its id, and its `checks` tell by themselves."""

    id: str = Name
    text: str = Field(max_length=1_000)
    checks: tuple[CheckSpec, ...] = Field((), max_length=2)


class Plan(Frozen):
    """What a planner returns: the next tasks and the strategy that remains after them.

    `catalogue` is the version of capabilities, tools and check kinds that the planner was shown.
    """

    roadmap: str = Field("", max_length=8_000)
    assumptions: tuple[Assumption, ...] = Field((), max_length=6)
    tasks: tuple[Task, ...] = ()
    catalogue: str = ""

    @cached_property
    def signature(self) -> str:
        """Equal for plans whose tasks have the same signatures, in whatever order."""
        return fingerprint(sorted(task.signature for task in self.tasks))


class Finding(Frozen):
    """One thing an executor found out. `command` printed `output`, so that code can look again."""

    text: str = Field(max_length=4_000)
    command: str = Field("", max_length=2_000)
    output: str = Field("", max_length=8_000)


class Artifact(Frozen):
    """What a task produced: the tree it left (by digest; None where it changed nothing), findings, a claim.

    `broken` names assumptions the executor found broken; `note` is its own account, a claim like the rest. `spent`
    says which limit of its own ended the work, and is not the executor's word.
    """

    claim: Claim
    tree: str | None = None
    findings: tuple[Finding, ...] = ()
    broken: tuple[str, ...] = ()
    note: str = ""
    spent: str = ""
    data: dict[str, Any] | None = None


Trigger = Literal["evidence", "finding", "failed", "stale", "contradicted", "unavailable", "over budget",
                  "catalogue changed", "exhausted", "hint", "repeated"]  # fmt: skip
ABOUT_THE_RUN = frozenset({"stale", "repeated", "over budget", "catalogue changed"})
"""Triggers of facts that code established about the run itself: they move nothing."""

FROM_PEOPLE = frozenset({"evidence", "hint"})


class Fact(Frozen):
    """Something a later decision may rest on.

    `measured` facts were established by code, all others are claims. `key` identifies what is said without
    its wording: only keys of facts that move enter the state hash. `tick` is the one in which it was established, 0
    before the first; `id` is given when it is taken in.
    """

    id: str = ""
    key: str
    text: Passage
    measured: bool
    trigger: Trigger
    source: Short
    tick: int = 0
    blob: str = ""

    @property
    def moves(self) -> bool:
        """Whether it is measured and says something of the world, not only of the run."""
        return self.measured and self.trigger not in ABOUT_THE_RUN
