"""The default pattern: a bounded, sequential tool loop with a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request, ToolCall
from agentloop.core.context import TaskContext
from agentloop.core.goal import WorkerSpec
from agentloop.core.projection import data
from agentloop.core.task import Artifact, Task
from agentloop.core.tree import Tree
from agentloop.errors import BudgetExhausted
from agentloop.ports import Desk, Tool
from agentloop.prompts import prompt
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.tools import invoke, parse_report

MAX_ERRORS = 3
"""Equal errors in a row that end a task."""

OpenDesk = Callable[[Tree], AbstractContextManager[Desk]]


@dataclass(frozen=True)
class ReactWorker:
    """Serves one capability. Tools run one after another; a denied or failed call comes back as text."""

    name: str
    state: State
    teller: Teller
    desk: OpenDesk
    tools: Callable[[Task], Mapping[str, Tool]]
    spec: WorkerSpec
    max_output: int
    temperature: float | None = None

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Work on `task` until the model reports, gives the same error too often, or the turns are used up."""
        self.state.begin(task, self.name)
        with self.desk(self.state.tree(context.tree)) as desk:
            session = _Session(self, task, context, desk, self.tools(task))
            artifact = session.converse()
            tree = desk.snapshot().digest
        changed = None if tree == context.tree else tree
        return self.state.produce(task, artifact.model_copy(update={"tree": changed}))


class _Session:
    """One task's conversation. What the log already holds of it is replayed, not bought or done again."""

    def __init__(
        self, worker: ReactWorker, task: Task, context: TaskContext, desk: Desk, tools: Mapping[str, Tool]
    ) -> None:
        self.worker, self.task, self.desk, self.tools = worker, task, desk, tools
        self.messages = [Message(role="user", text=brief(task, context))]
        self.past = [event for event in worker.state.folded.unit if isinstance(event, e.ToolRan)]
        self.errors: list[str] = []

    def converse(self) -> Artifact:
        for _ in range(self.worker.spec.turns):
            reply = self.worker.teller.ask(self._request(), self.task.id)
            if (artifact := self._take(reply)) is not None:
                return artifact
            if len(self.errors) >= MAX_ERRORS and len(set(self.errors[-MAX_ERRORS:])) == 1:
                return Artifact(claim="abort", note=f"the same error {MAX_ERRORS} times: {self.errors[-1]}"[:400])
        return Artifact(claim="done", note=f"{self.worker.spec.turns} turns were used up without a report")

    def _request(self) -> Request:
        return Request(
            system=prompt("executor"),
            messages=tuple(self.messages),
            tools=tuple(tool.spec for tool in self.tools.values()),
            max_output=self.worker.max_output,
            temperature=self.worker.temperature,
        )

    def _take(self, reply: Reply) -> Artifact | None:
        if reply.stop not in ("end", "tool"):
            # Never applied, however whole the arguments look: nobody knows what was cut off.
            self._answer(reply, f"Your answer was not whole ({reply.stop}). Nothing of it was done. Be shorter.")
            return None
        if not reply.calls:
            self._answer(reply, "No tool was used. Go on with the tools, or end the task with `report`.")
            return None
        self.messages.append(Message(role="assistant", text=reply.text, calls=reply.calls, raw=reply.raw))
        seen: set[str] = set()
        artifact = None
        for call in reply.calls:
            ok, text = self._call(call, seen)
            if ok and call.name == "report":
                artifact = parse_report(call.arguments)
            self._count(None if ok else text)
            self.messages.append(Message(role="tool", call_id=call.id, text=text if not ok else data(text)))
        return artifact

    def _answer(self, reply: Reply, text: str) -> None:
        self._count(text)
        if reply.text:
            self.messages.append(Message(role="assistant", text=reply.text))
            self.messages.append(Message(role="user", text=text))
        else:
            self.messages[-1:] = [_longer(self.messages[-1], text)]

    def _count(self, error: str | None) -> None:
        self.errors = [*self.errors, error] if error else []

    def _call(self, call: ToolCall, seen: set[str]) -> tuple[bool, str]:
        if call.id in seen:
            return False, f"two calls have the id {call.id!r}; this one was not done"
        seen.add(call.id)
        state = self.worker.state
        if self.past:
            return self._replayed(self.past.pop(0))
        limit = state.folded.limits.tool_calls
        if limit is not None and state.folded.purse.tool_calls >= limit:
            raise BudgetExhausted(f"tool_calls: {limit} of {limit} are used", state.summary())
        started = state.now()
        ok, text = invoke(self.tools, call, self.desk)
        result, tree = state.log.put(text.encode("utf-8", "surrogateescape")), self.desk.snapshot().digest
        took = max(0, state.now() - started)
        state.record(
            e.ToolRan(
                task=self.task.id,
                call=call.id[:80],
                tool=call.name[:40],
                ok=ok,
                result=result,
                tree=tree,
                milliseconds=took,
            )
        )
        return ok, text

    def _replayed(self, event: e.ToolRan) -> tuple[bool, str]:
        if not self.past:
            self.desk.restore(event.tree)
        return event.ok, self.worker.state.log.get(event.result).decode("utf-8", "surrogateescape")


def _longer(message: Message, text: str) -> Message:
    """`message` with `text` behind it: two turns of one side in a row are not allowed everywhere."""
    return message.model_copy(update={"text": f"{message.text}\n\n{text}"})


def brief(task: Task, context: TaskContext) -> str:
    """What an executor is told: its directive, the goal, what may change, what is known, what decides."""
    parts = [
        f"# Task {task.id}\n{task.directive}",
        f"# The goal it serves\n{context.goal}",
        "# Files that may change\n" + "\n".join(task.writes or context.allow),
        "# Checks that decide\n" + "\n".join(context.checks),
    ]
    if task.reads:
        parts.append("# Files that matter\n" + "\n".join(task.reads))
    if context.facts:
        parts.append("# Known facts\n" + "\n".join(f"- {data(fact.text)}" for fact in context.facts))
    if context.findings:
        lines = [f"- from {source}: {data(finding.text)}" for source, finding in context.findings]
        parts.append("# Findings of earlier tasks\n" + "\n".join(lines))
    return "\n\n".join(parts)
