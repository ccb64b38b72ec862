"""The state of a run: its log, and the fold of it. Nothing else is remembered."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from threading import RLock

from agentloop.core import events as e
from agentloop.core.check import CheckResult, Strength, Verdict
from agentloop.core.context import TaskContext
from agentloop.core.digest import canonical
from agentloop.core.fold import Folded
from agentloop.core.globs import matcher
from agentloop.core.goal import Goal
from agentloop.core.projection import ROOM, within
from agentloop.core.records import Outcome, TaskHead, Tick, Usable
from agentloop.core.stall import side_by_side
from agentloop.core.standing import used
from agentloop.core.strength import standing
from agentloop.core.summary import Summary
from agentloop.core.suspicion import Suspicion
from agentloop.core.task import FROM_PEOPLE, Artifact, Finding, Plan, Task
from agentloop.core.tree import Tree, difference
from agentloop.errors import LogDamaged
from agentloop.ports import Log


class State:
    """What a run knows. Every change goes through `record`, which writes it down before it counts.

    `clock` gives the present time in milliseconds since 1970.
    """

    def __init__(self, log: Log, clock: Callable[[], int], watch: Callable[[e.Stamped], None] | None = None) -> None:
        self.log = log
        self.now = clock
        self.folded = Folded()
        self.lock = RLock()
        self._watch = watch
        self._trees: dict[str, Tree] = {}
        self._expected: tuple[str, dict[str, dict[str, str]]] = ("", {})
        for stamped in log:
            self.folded.apply(stamped.at, stamped.event)

    def record(self, event: e.Event) -> None:
        """Write `event` down, then take it into account. Raises LogDamaged where it can't be written.

        Whoever decides by the state and records what follows from it holds `lock` meanwhile.
        """
        with self.lock:
            stamped = self.log.append(event)
            self.folded.apply(stamped.at, stamped.event)
            if self._watch:
                self._watch(stamped)

    @property
    def began(self) -> e.Began:
        """The run's first record. Raises LogDamaged where the log does not start with one."""
        if self.folded.began is None:
            raise LogDamaged("log", 0, "the log does not start with a `began` record")
        return self.folded.began

    @property
    def stall(self) -> int:
        """Ticks in a row that may leave the state unchanged."""
        return self.began.stall

    @property
    def queue(self) -> deque[Task]:
        """The tasks that wait, in order."""
        return deque(self.task(head) for head in self.folded.queue)

    @property
    def candidate(self) -> Tree:
        """Base plus the run's accepted changes."""
        return self.tree(self.folded.candidate)

    @property
    def base(self) -> Tree:
        """The tree that the run started from."""
        return self.tree(self.began.base_tree)

    def tree(self, digest: str) -> Tree:
        """The tree of that name: its manifest is the blob of the same name."""
        if digest not in self._trees:
            self._trees[digest] = Tree.parse(self.log.get(digest))
        return self._trees[digest]

    def task(self, head: TaskHead) -> Task:
        """The whole task that `head` stands for."""
        return Task.model_validate_json(self.log.get(head.blob))

    def expected(self, check: Usable) -> dict[str, str] | None:
        """Test id → outcome on base; None where the check has no ids."""
        name, _ = self._expected
        if self.folded.expected != name:
            self._expected = (self.folded.expected, json.loads(self.log.get(self.folded.expected)))
        return self._expected[1].get(check.key)

    def drop(self, check: Usable, tests: set[str]) -> None:
        """Record that `tests`, expected by the guard `check`, are flaky: they are not expected any more."""
        kept = {test: how for test, how in (self.expected(check) or {}).items() if test not in tests}
        blob = self.log.put(canonical({**self._expected[1], check.key: kept}))
        few = tuple(test[:200] for test in sorted(tests)[:3])
        self.record(e.Unguarded(check=check.check, count=len(tests), tests=few, expected=blob))

    def result(self, check: Usable, tree: str | None = None) -> CheckResult | None:
        """What `check` said last about `tree` (default: the candidate)."""
        outcome = self.folded.outcomes.get((tree or self.folded.candidate, check.key))
        return self.detail(outcome) if outcome and outcome.detail else None

    def detail(self, outcome: Outcome) -> CheckResult:
        """The whole result behind `outcome`."""
        return CheckResult.model_validate_json(self.log.get(outcome.detail))

    def artifact(self, event: e.Verified) -> Artifact:
        """What the task of `event` handed in."""
        return Artifact.model_validate_json(self.log.get(event.ruling.artifact))

    def verdict(self, event: e.Verified) -> Verdict:
        """The whole verdict on the task of `event`."""
        return Verdict.model_validate_json(self.log.get(event.ruling.verdict))

    def keep_plan(self, plan: Plan) -> e.Planned:
        """Keep `plan` and its tasks as blobs; the event that records it."""
        heads = tuple(TaskHead.of(task, self.log.put(task.model_dump_json().encode())) for task in plan.tasks)
        return e.Planned.of(plan, self.log.put(plan.model_dump_json().encode()), heads)

    def begin(self, task: Task, worker: str) -> None:
        """Record that `worker` starts on `task`; a task that a resumed run finds under way was begun before."""
        current = self.folded.current
        if current is None or current.task != task.id:
            tree = self.folded.candidate
            self.record(e.Started(task=task.id, capability=task.capability, worker=worker, tree=tree))

    def produce(self, task: Task, artifact: Artifact) -> Artifact:
        """Record what `task` handed in, and return it."""
        blob = self.log.put(artifact.model_dump_json().encode())
        self.record(e.Produced(task=task.id, claim=artifact.claim, artifact=blob, tree=artifact.tree or ""))
        return artifact

    def stale(self, task: Task) -> str | None:
        """Why `task` must not be run any more; None where it may. Skipping costs nothing."""
        folded = self.folded
        if folded.planned_with and folded.catalogue and folded.planned_with != folded.catalogue:
            return f"it was planned with catalogue {folded.planned_with}; what plans may use is now {folded.catalogue}"
        if gone := used(task, folded.known.standing):
            return f"it uses {gone[0]}, which could not be started"
        for need in task.needs:
            fate = self.folded.fates.get(need)
            if not isinstance(fate, e.Verified) or fate.ruling.status != "passed":
                return f"it needs {need}, which did not pass"
        for name in task.assumes:
            if name in self.folded.broken:
                return f"the assumption {name} was reported broken"
        reads = matcher(task.reads)
        for event in self.folded.accepted[self.folded.planned_at :]:
            if event.task not in task.needs:
                change = difference(self.tree(event.ruling.before), self.tree(event.ruling.tree))
                if touched := next(filter(reads, change), None):
                    return f"{touched}, which it reads, was changed by {event.task} since the plan was made"
        return None

    def suspicions(self) -> tuple[Suspicion, ...]:
        """What the static screen suspects in the change as it stands: all that it adds to base."""
        return self.verdict(self.folded.accepted[-1]).suspicions if self.folded.accepted else ()

    def strengths(self) -> list[tuple[str, Strength]]:
        """The deciding checks that passed on the candidate, by name, with how hard each verdict is to fool."""
        named = [(check.check, check) for check in self.folded.visible if check.role == "accept"]
        named += [(f"hidden check {number}", check) for number, check in enumerate(self.folded.hidden, 1)]
        results = [(name, self.result(check)) for name, check in named]
        return [(name, result.strength) for name, result in results if result and result.passed]

    def context_for(self, task: Task, goal: Goal) -> TaskContext:
        """What the worker of `task` is shown: a projection, without reasoning, judgments or transcripts."""
        people = [fact for fact in self.folded.facts if fact.trigger in FROM_PEOPLE]
        moved = [fact for fact in self.folded.facts if fact.moves and fact.trigger not in FROM_PEOPLE]
        facts = [fact for group in (people, moved) for fact in within(group, lambda f: f.text, ROOM["executor"] // 4)]
        return TaskContext(
            goal=goal.goal,
            tree=self.folded.candidate,
            facts=tuple(facts),
            findings=tuple(within(self._findings(task), lambda found: found[1].text, ROOM["executor"] // 4)),
            checks=tuple(check.label for check in task.acceptance),
            allow=goal.allow,
        )

    def _findings(self, task: Task) -> list[tuple[str, Finding]]:
        found = []
        for need in task.needs:
            fate = self.folded.fates.get(need)
            if isinstance(fate, e.Verified) and fate.ruling.status == "passed":
                found += [(need, finding) for finding in self.artifact(fate).findings]
        return found

    def summary(self, end: str = "", reason: str = "", advice: str = "") -> Summary:
        """The account of the run so far."""
        folded = self.folded
        checks = []
        for check in folded.usable:
            outcome, result = folded.outcomes.get((folded.candidate, check.key)), self.result(check)
            status = outcome.status if outcome else "not run"
            if check.role == "hidden":  # a summary may be shown to anyone; `agentloop.view.files` tells people more
                checks.append((f"hidden check {folded.hidden.index(check) + 1}", status, ""))
            else:
                checks.append((f"{check.role} {check.check}", status, result.reason if result else ""))
        return Summary(
            run=self.began.run,
            goal=self.began.goal,
            end=end,
            reason=reason,
            checks=tuple(checks),
            ticks=tuple(map(_row, folded.ticks)),
            facts=tuple(fact.text for fact in folded.facts if fact.measured),
            spent=folded.purse.report(folded.limits, self.now()),
            roadmap=folded.roadmap,
            advice=advice,
            suspects=tuple(map(str, self.suspicions())),
            still=side_by_side(folded.hashes, self.stall, [row for row in map(_ran, folded.ticks) if row[1]]),
            closing=folded.closing,
            standing=standing(folded.candidate, self.strengths()) if folded.satisfied else "",
        )


def _ran(tick: Tick) -> tuple[int, str]:
    """An executed tick for a comparison; no words where it was skipped."""
    told = f"{tick.task} ({tick.capability}): {tick.status} {tick.reason}".rstrip()
    return tick.number, "" if tick.status == "skipped" else told


def _row(tick: Tick) -> str:
    said = f"{tick.number}. {tick.task} ({tick.capability}): {tick.status} {tick.reason}".rstrip()
    return f"{said} [{tick.suspect}]" if tick.suspect else said
