"""The crew of a run: who plans, who works and who judges, put together from the goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentloop.core import events as e
from agentloop.core.records import Ruling
from agentloop.core.task import Artifact, Task
from agentloop.ports import Planner, Worker
from agentloop.roles.assumed import doubt
from agentloop.roles.verifier import Verifier
from agentloop.state import State


@dataclass(frozen=True)
class RunCrew:
    """Serves `agentloop.loop.run`. `workers` maps a capability to what makes its worker."""

    verifier: Verifier
    planner: Planner
    workers: Mapping[str, Callable[[], Worker]]

    def verify_goal(self, state: State) -> e.Checked:
        """The goal's checks on the candidate; known verdicts are not computed again. Assumptions that waiting tasks
        rest on are looked at too."""
        doubt(state, self.verifier.probe)
        return self.verifier.verify_goal(state)

    def plan(self, state: State) -> e.Planned | None:
        """The next plan; None where there is none."""
        return self.planner.plan(state)

    def worker_for(self, capability: str) -> Worker:
        """Who serves `capability`; planned capabilities were validated against the same table."""
        return self.workers[capability]()

    def verify(self, task: Task, artifact: Artifact, state: State) -> Ruling:
        """What code says of `artifact`."""
        return self.verifier.verify(task, artifact, state)
