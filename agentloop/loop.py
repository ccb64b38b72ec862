"""The loop: plan, run, verify, and only then believe. Read this first.

A script ends when it runs out of steps; an agent replans when it runs out of steps. There is no retry edge here,
no error branch and no routing: what went wrong is a recorded fact, the queue drains, the planner reads it.
"""

from __future__ import annotations

from typing import Protocol

from agentloop.core.events import Checked, Planned, Skipped, Verified
from agentloop.core.goal import Goal
from agentloop.core.records import Limits, Ruling
from agentloop.core.stall import stalled
from agentloop.core.task import Artifact, Task
from agentloop.errors import BudgetExhausted, NoProgress, NoViablePlan
from agentloop.ports import Worker
from agentloop.state import State


class Crew(Protocol):
    """Who does the work of a run."""

    def verify_goal(self, state: State) -> Checked:
        """The goal's checks on the present candidate; known verdicts are not computed again."""

    def plan(self, state: State) -> Planned | None:
        """The next plan, valid and kept; None where there is none."""

    def worker_for(self, capability: str) -> Worker:
        """Who serves `capability`."""

    def verify(self, task: Task, artifact: Artifact, state: State) -> Ruling:
        """What code says of an artifact."""


def goal_satisfied(state: State) -> bool:
    """Whether each accept and guard check has passed for the present candidate tree: recorded verdicts only."""
    return state.folded.satisfied


def stop_if_spent_or_stalled(state: State, budget: Limits) -> None:
    """Raise BudgetExhausted or NoProgress where another step makes no sense."""
    if spent := state.folded.purse.spent(budget, state.now()):
        raise BudgetExhausted(spent, state.summary())
    if why := stalled(state.folded.hashes, state.stall):
        raise NoProgress(why, state.summary())


def run(goal: Goal, budget: Limits, state: State, crew: Crew) -> State:
    """Run until the goal's checks pass. Raises BudgetExhausted, NoProgress or NoViablePlan where they won't."""
    state.record(crew.verify_goal(state))
    while not goal_satisfied(state):
        stop_if_spent_or_stalled(state, budget)
        if not state.queue:
            if state.folded.idle_plans >= budget.replans:
                raise NoViablePlan(f"{budget.replans} plans in a row changed and found nothing", state.summary())
            planned = crew.plan(state)
            if planned is None:
                raise NoViablePlan("the planner has nothing left to try", state.summary())
            state.record(planned)
            continue
        task = state.queue[0]
        if reason := state.stale(task):
            state.record(Skipped(task=task.id, signature=task.signature, reason=reason))
            continue
        artifact = crew.worker_for(task.capability).run(task, state.context_for(task, goal))
        state.record(Verified.of(task, artifact, crew.verify(task, artifact, state)))
        state.record(crew.verify_goal(state))
    return state
