"""The pattern that has a model review the last accepted change. Its opinion is recorded; it decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from agentloop.core.context import TaskContext
from agentloop.core.patch import patch
from agentloop.core.task import Artifact, Finding, Task
from agentloop.ports import Workspace
from agentloop.roles.reviewer import review
from agentloop.roles.teller import Teller
from agentloop.state import State


@dataclass(frozen=True)
class ReviewWorker:
    """Shows the reviewer the whole change so far. The finding says only that a review was recorded."""

    state: State
    teller: Teller
    workspace: Workspace
    max_output: int

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Have the change from base to `context.tree` reviewed."""
        self.state.begin(task, "review")
        tree = self.state.tree(context.tree)
        text = patch(self.state.base, tree, self.workspace.read).decode("utf-8", "replace")
        judged = review(self.teller, self.state, task.id, task.directive, text, self.max_output)
        finding = Finding(text=f"the change was reviewed: severity {judged.severity}")
        return self.state.produce(task, Artifact(claim="done", findings=(finding,)))
