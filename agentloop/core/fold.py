"""The state of a run: what its events add up to. Nothing else is remembered, and only this file interprets them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import assert_never

from agentloop.core import events as e
from agentloop.core.digest import fingerprint
from agentloop.core.facts import Known, a_fact
from agentloop.core.normal import normal
from agentloop.core.purse import Purse
from agentloop.core.records import Limits, Outcome, TaskHead, Tick, Usable
from agentloop.core.task import Fact

HIDDEN_FAILED = (
    "a hidden check failed: every accept and guard check passes, but what was changed does not hold in general"
)
"""All that a model is ever told of a hidden check."""


@dataclass
class Folded:
    """The state as plain values. `apply` takes one event further; equal events give equal states."""

    began: e.Began | None = None
    limits: Limits = field(default_factory=Limits)
    usable: tuple[Usable, ...] = ()
    expected: str = ""
    candidate: str = ""
    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)
    queue: deque[TaskHead] = field(default_factory=deque)
    roadmap: str = ""
    plans: list[str] = field(default_factory=list)
    idle_plans: int = 0
    planned_at: int = 0
    current: e.Started | None = None
    unit: list[e.Event] = field(default_factory=list)
    ticks: list[Tick] = field(default_factory=list)
    executed: int = 0
    fates: dict[str, e.Verified | e.Skipped] = field(default_factory=dict)
    failed: set[tuple[str, str]] = field(default_factory=set)
    finished: set[tuple[str, str]] = field(default_factory=set)
    accepted: list[e.Verified] = field(default_factory=list)
    last: e.Verified | None = None
    known: Known = field(default_factory=Known)
    assumed: dict[str, str] = field(default_factory=dict)
    catalogue: str = ""
    offered: tuple[str, ...] = ()
    planned_with: str = ""
    plan: str = ""
    closing: str = ""
    won: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    judgments: list[e.Judged] = field(default_factory=list)
    approved: set[str] = field(default_factory=set)
    hashes: list[str] = field(default_factory=list)
    settling: bool = False
    purse: Purse = field(default_factory=Purse)
    budget_then: tuple[tuple[str, str], ...] = ()
    ended: e.Ended | None = None

    def apply(self, at: int, event: e.Event) -> None:
        """Take `event`, written at `at` (milliseconds), into the state."""
        self.purse.apply(at, event)
        self.unit.append(event)
        match event:
            case e.Began() | e.Prepared() | e.Unguarded() | e.Extended() | e.Approved() | e.Resumed() | e.Ended():
                self._framed(event)
            case e.Checked():
                self._checked(event)
            case e.Planned():
                self._planned(event)
            case e.Skipped():
                self._skipped(event)
            case e.Started():
                self.current, self.settling, self.unit = event, False, [event]
            case e.Verified():
                self._verified(event)
            case e.Judged():
                self.judgments.append(event)
            case e.Noted() | e.Tried() | e.Contradicted() | e.Offered() | e.Closed() | e.PlanRefused():
                self._noticed(event)
            case e.Asked() | e.Replied() | e.Unanswered() | e.ToolRan() | e.Produced():
                pass  # read by those who need them: the purse above, and whoever resumes the task under way
            case _:
                assert_never(event)
        if self.settling and self.hashes:
            self.hashes[-1] = self.state_hash
        if isinstance(event, (e.Prepared, e.Planned, e.Skipped, e.Verified, e.Extended)):
            # As it stood when this step began: a resumed step must build the very same prompt.
            replans = ("replans", f"{self.limits.replans - self.idle_plans} of {self.limits.replans} left")
            self.budget_then = (*self.purse.left(self.limits, at), replans)

    @property
    def facts(self) -> list[Fact]:
        """What stands, in the order it was established."""
        return self.known.facts

    @property
    def measured(self) -> set[str]:
        """The keys of the measured facts that count as movement."""
        return self.known.measured

    @property
    def state_hash(self) -> str:
        """xxh3-128 over candidate, verdicts with failing ids, and measured facts: no prose, clock or cost."""
        verdicts = []
        for check in self.usable:
            outcome = self.outcomes.get((self.candidate, check.key))
            verdicts.append([check.key, outcome.status, outcome.failing] if outcome else [check.key])
        return fingerprint([self.candidate, verdicts, sorted(self.measured)])

    @property
    def satisfied(self) -> bool:
        """Each accept, guard and hidden check has passed for the present candidate. No model's word enters it."""
        needed = [check for check in self.usable if check.role != "unused"]
        return any(check.role == "accept" for check in needed) and all(map(self.passes, needed))

    def passes(self, check: Usable) -> bool:
        """Whether `check` is recorded as passed for the present candidate."""
        outcome = self.outcomes.get((self.candidate, check.key))
        return outcome is not None and outcome.status == "passed"

    @property
    def visible(self) -> list[Usable]:
        """The accept and guard checks: those that planners and workers may know of."""
        return [check for check in self.usable if check.role in ("accept", "guard")]

    @property
    def hidden(self) -> list[Usable]:
        """The hidden checks: nothing of them but that one failed may reach a model."""
        return [check for check in self.usable if check.role == "hidden"]

    def unmet(self) -> list[Usable]:
        """The accept and guard checks that do not pass on the present candidate."""
        return [check for check in self.visible if not self.passes(check)]

    def _framed(
        self, event: e.Began | e.Prepared | e.Unguarded | e.Extended | e.Approved | e.Resumed | e.Ended
    ) -> None:
        match event:
            case e.Began():
                self.began, self.limits, self.candidate = event, event.limits, event.base_tree
            case e.Prepared():
                self.usable, self.expected = event.checks, event.expected
            case e.Unguarded():
                self.expected = event.expected
            case e.Extended():
                self.limits = event.limits
            case e.Approved():
                self.approved.add(event.name)
            case e.Resumed() | e.Ended():
                self.ended = event if isinstance(event, e.Ended) else None
                if isinstance(event, e.Ended) and event.end == "BudgetExhausted":
                    text = f"the run stopped over budget: {event.reason}"
                    self._note(a_fact("over budget", text, "the budget", self.executed, measured=True))
            case _:
                assert_never(event)

    def _checked(self, event: e.Checked) -> None:
        for outcome in event.outcomes:
            self.outcomes[event.tree, outcome.key] = outcome
        hidden = {check.key for check in self.hidden}
        if any(outcome.key in hidden and outcome.status != "passed" for outcome in event.outcomes):
            key = fingerprint(["hidden", event.tree])
            self._note(a_fact("failed", HIDDEN_FAILED, "the goal's hidden checks", self.executed, key=key))
        self._regressed()
        if not self.hashes:
            self.hashes.append(self.state_hash)
        if event.fresh and event.tree == self.candidate and self.satisfied:
            self.confirmed.add(event.tree)

    def _regressed(self) -> None:
        """A goal check that was won and is lost again, as only `may_break` lets happen, is told as a regression."""
        now = {check.check for check in self.visible if self.passes(check)}
        for name in sorted(self.won - now):
            key = fingerprint(["regression", name, self.candidate])
            source = self.last.task if self.last else "the goal"
            text = f"regression: the goal check {name!r} passed before and does not now (`may_break` allowed it)"
            self._note(a_fact("failed", text, source, self.executed, key=key))
        self.won = now

    def _noticed(self, event: e.Noted | e.Tried | e.Contradicted | e.Offered | e.Closed | e.PlanRefused) -> None:
        match event:
            case e.Noted():
                self._note(event.fact)
            case e.Tried(ran=True):
                self.known.found(event.name)
            case e.Tried():
                if self.known.lack(event.name, event.reason, event.task or "a check", self.executed + 1):
                    self.idle_plans = 0
            case e.Contradicted():
                self.broken.add(event.assumption)
                text = f"the assumption {event.assumption} ({event.text}) does not hold: {event.reason}"
                key = fingerprint(["contradicted", event.text, normal(event.reason)])
                self._note(a_fact("contradicted", text, event.assumption, self.executed, key=key))
            case e.Offered():
                if event.change:
                    text = f"what plans may use has changed: {event.change}"
                    self._note(a_fact("catalogue changed", text, event.version, self.executed, measured=True))
                self.catalogue, self.offered = event.version, event.names
            case e.Closed():
                self.closing = event.text
            case e.PlanRefused():
                for text in event.repeated:
                    self._note(a_fact("repeated", text, "the plan's rules", self.executed, measured=True))
                if event.over:
                    self._note(a_fact("over budget", event.over, "the plan's rules", self.executed, measured=True))
            case _:
                assert_never(event)

    def _planned(self, event: e.Planned) -> None:
        self.queue.extend(event.tasks)
        self.roadmap = event.roadmap
        self.plans.append(event.signature)
        self.idle_plans += 1
        self.planned_at = len(self.accepted)
        self.settling = False
        self.planned_with, self.plan = event.catalogue, event.blob
        self.assumed = {known.id: known.text for known in event.assumptions}
        self.broken.clear()  # a plan brings its own assumptions; ids may recur
        self.unit = []

    def _skipped(self, event: e.Skipped) -> None:
        head = self.queue.popleft()
        self.fates[event.task] = event
        self.ticks.append(Tick(self.executed, event.task, head.capability, "skipped", event.reason))
        text = f"task {event.task} was skipped: {event.reason}"
        self._note(a_fact("stale", text, event.task, self.executed, measured=True))
        self.unit = []

    def _verified(self, event: e.Verified) -> None:
        self.queue.popleft()
        self.executed += 1
        self.current, self.last, self.unit = None, event, []
        self.fates[event.task] = event
        ruling = event.ruling
        row = Tick(self.executed, event.task, event.capability, ruling.status, ruling.reason, ruling.suspect)
        self.ticks.append(row)
        self.broken.update(event.broken)
        if event.accepted:
            self.accepted.append(event)
            self.candidate = ruling.tree
            self.idle_plans = 0
        if ruling.status != "passed":
            claim = "" if event.claim == "abort" else f" (it claimed {event.claim!r})"
            line = f"; first failing line: {ruling.line}" if ruling.line else ""
            text = f"task {event.task} ({event.capability}) {ruling.status}{claim}: {ruling.reason}{line}"
            self._note(a_fact("failed", text, event.task, self.executed, key=ruling.failure))
            # With its own failure among the facts: that alone is no reason to send it again.
            self.failed.add((event.signature, self.basis))
        else:
            self.finished.add((event.signature, self.candidate))
        for name in event.broken:
            text = f"task {event.task} reports the assumption {name} broken ({self.assumed.get(name, 'unknown')})"
            self._note(a_fact("contradicted", text, event.task, self.executed))
        self.hashes.append(self.state_hash)
        self.settling = True

    @property
    def basis(self) -> str:
        """What a failed task must not be tried on again: the same tree with the same measured facts."""
        return fingerprint([self.candidate, sorted(self.measured)])

    def _note(self, fact: Fact) -> None:
        if self.known.note(fact):
            self.idle_plans = 0
