"""The pattern without a model that runs one command: the artifact is its result."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from agentloop.core.context import TaskContext
from agentloop.core.task import Artifact, Finding, Task
from agentloop.core.tree import Tree
from agentloop.ports import Desk, DeskError
from agentloop.state import State

TIMEOUT = 300.0


@dataclass(frozen=True)
class CommandWorker:
    """The task's directive is the command line. `refusal` says why an argument list may not be started."""

    state: State
    desk: Callable[[Tree], AbstractContextManager[Desk]]
    refusal: Callable[[tuple[str, ...]], str | None]

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Run it once; what it printed is the only finding, what it changed is the tree."""
        self.state.begin(task, "command")
        try:
            argv = tuple(shlex.split(task.directive))
        except ValueError as error:
            return self._give_up(task, f"{task.directive!r} is no command line: {error}")
        if why := self.refusal(argv):
            return self._give_up(task, why)
        with self.desk(self.state.tree(context.tree)) as desk:
            ran = desk.run(argv, TIMEOUT)
            try:
                tree = desk.snapshot().digest
            except DeskError as error:
                return self._give_up(task, str(error))
        output = (ran.stdout.text + ran.stderr.text)[-8000:]
        finding = Finding(text=f"{shlex.join(argv)}: {ran.said}"[:4000], command=shlex.join(argv)[:2000], output=output)
        changed = None if tree == context.tree else tree
        return self.state.produce(task, Artifact(claim="done", tree=changed, findings=(finding,)))

    def _give_up(self, task: Task, why: str) -> Artifact:
        return self.state.produce(task, Artifact(claim="abort", note=why[:400]))
