"""The default pattern: a bounded, sequential conversation with a model that uses tools or sends fenced blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from agentloop.core.context import TaskContext
from agentloop.core.goal import ModelSpec, WorkerSpec
from agentloop.core.task import Artifact, Task
from agentloop.core.tree import Tree
from agentloop.ports import Desk, Tool
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.tools import Shelf
from agentloop.workers.conversation import Conversation
from agentloop.workers.recall import RankFor, by_words

OpenDesk = Callable[[Tree], AbstractContextManager[Desk]]


@dataclass(frozen=True)
class ReactWorker:
    """Serves one capability. Tools run one after another; a denied or failed call comes back as text.

    `window` is how many characters of conversation the model takes.
    """

    name: str
    state: State
    teller: Teller
    desk: OpenDesk
    tools: Callable[[Task, Shelf], Mapping[str, Tool]]
    spec: WorkerSpec
    model: ModelSpec
    window: int
    rank: RankFor = lambda task: by_words

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Work on `task` until the model reports, gives the same error too often, or the turns are used up."""
        self.state.begin(task, self.name)
        shelf = Shelf()
        with self.desk(self.state.tree(context.tree)) as desk:
            conversation = Conversation(
                state=self.state,
                teller=self.teller,
                task=task,
                desk=desk,
                tools=self.tools(task, shelf),
                shelf=shelf,
                spec=self.spec,
                model=self.model,
                window=self.window,
                rank=self.rank(task.id),
            )
            artifact = conversation.converse(context)
            tree = desk.snapshot().digest
        changed = None if tree == context.tree else tree
        return self.state.produce(task, artifact.model_copy(update={"tree": changed}))
