"""The state of a run: what its events add up to. Nothing else is remembered, and only this file interprets them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import assert_never

from agentloop.core import events as e
from agentloop.core.digest import fingerprint
from agentloop.core.purse import Purse
from agentloop.core.records import Limits, Outcome, TaskHead, Usable
from agentloop.core.task import Fact

HIDDEN_FAILED = (
    "a hidden check failed: every accept and guard check passes, but what was changed does not hold in general"
)
"""All that a model is ever told of a hidden check."""


@dataclass(frozen=True)
class Tick:
    """One line of the run's history: a task that was run or skipped, and what became of it."""

    number: int
    task: str
    capability: str
    status: str
    reason: str
    suspect: str = ""


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
    accepted: list[e.Verified] = field(default_factory=list)
    last: e.Verified | None = None
    facts: list[Fact] = field(default_factory=list)
    measured: set[str] = field(default_factory=set)
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
            case e.Noted():
                self._note(event.fact)
            case e.Judged():
                self.judgments.append(event)
            case e.PlanRefused() | e.Asked() | e.Replied() | e.Unanswered() | e.ToolRan() | e.Produced():
                pass  # read by those who need them: the purse above, and whoever resumes the task under way
            case _:
                assert_never(event)
        if self.settling and self.hashes:
            self.hashes[-1] = self.state_hash
        if isinstance(event, (e.Prepared, e.Planned, e.Skipped, e.Verified, e.Extended)):
            # As it stood when this step began: a resumed step must build the very same prompt.
            self.budget_then = self.purse.report(self.limits, at)

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
            case _:
                assert_never(event)

    def _checked(self, event: e.Checked) -> None:
        for outcome in event.outcomes:
            self.outcomes[event.tree, outcome.key] = outcome
        hidden = {check.key for check in self.hidden}
        if any(outcome.key in hidden and outcome.status != "passed" for outcome in event.outcomes):
            key = fingerprint(["hidden", event.tree])
            self._note(_fact("failed", HIDDEN_FAILED, "the goal's hidden checks", self.executed, key=key))
        if not self.hashes:
            self.hashes.append(self.state_hash)
        if event.fresh and event.tree == self.candidate and self.satisfied:
            self.confirmed.add(event.tree)

    def _planned(self, event: e.Planned) -> None:
        self.queue.extend(event.tasks)
        self.roadmap = event.roadmap
        self.plans.append(event.signature)
        self.idle_plans += 1
        self.planned_at = len(self.accepted)
        self.settling = False
        self.broken.clear()  # a plan brings its own assumptions; ids may recur
        self.unit = []

    def _skipped(self, event: e.Skipped) -> None:
        head = self.queue.popleft()
        self.fates[event.task] = event
        self.ticks.append(Tick(self.executed, event.task, head.capability, "skipped", event.reason))
        self._note(_fact("stale", f"task {event.task} was skipped: {event.reason}", event.task, self.executed))
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
            self.failed.add((event.signature, self.basis))
            text = f"task {event.task} ({event.capability}) {ruling.status}: {ruling.reason}"
            self._note(_fact("failed", text, event.task, self.executed, key=ruling.failure))
        for name in event.broken:
            text = f"task {event.task} reports the assumption {name} broken"
            self._note(_fact("contradicted", text, event.task, self.executed))
        self.hashes.append(self.state_hash)
        self.settling = True

    @property
    def basis(self) -> str:
        """What a failed task must not be tried on again: the same tree with the same measured facts."""
        return fingerprint([self.candidate, sorted(self.measured)])

    def _note(self, fact: Fact) -> None:
        known = fact.key in self.measured
        if fact.measured and not known:
            self.measured.add(fact.key)
            self.idle_plans = 0
        if not known:
            self.facts.append(fact)


def _fact(trigger: str, text: str, source: str, tick: int, key: str = "") -> Fact:
    """A fact that follows from an event. With a `key` (a failure's fingerprint) it is measured."""
    return Fact.model_validate(
        {"key": key or fingerprint([trigger, text]), "text": text, "measured": bool(key), "trigger": trigger,
         "source": source, "tick": tick}
    )  # fmt: skip
