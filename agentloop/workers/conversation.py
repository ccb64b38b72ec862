"""One task's conversation with a model: what it is shown, and what becomes of each of its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentloop.core import session as sessions
from agentloop.core.chat import Message, Reply, Request, ToolCall
from agentloop.core.context import TaskContext
from agentloop.core.goal import ModelSpec, WorkerSpec
from agentloop.core.projection import data
from agentloop.core.task import Artifact, Task
from agentloop.ports import Desk, Tool
from agentloop.prompts import prompt
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.tools import BLOCKS, Shelf, parse_report
from agentloop.workers.brief import appended_files, brief
from agentloop.workers.hands import Hands

MAX_ERRORS = 3
"""Equal errors in a row that end a task."""

LONGEST_CALL = 100_000
"""Characters of arguments that go back to the model with its own turn; longer ones are only told about."""

SUMMARY_OUTPUT = 1_024
"""Tokens of a summary."""

PINNED = frozenset({"suspects"})
"""Tools whose answers stay in every request: measurements, short and good for the whole task."""

SPARE = 4_000
"""Characters of the turns themselves, where a summary of them was not to be had."""


@dataclass
class Conversation:
    """What the log already holds of it is replayed, not bought or done again."""

    state: State
    teller: Teller
    task: Task
    desk: Desk
    tools: Mapping[str, Tool]
    shelf: Shelf
    spec: WorkerSpec
    model: ModelSpec
    window: int
    rank: sessions.Rank
    messages: list[Message] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    used_tools: bool = False

    def __post_init__(self) -> None:
        self.hands = Hands(self.state, self.task.id, self.tools, self.desk)
        self.session = sessions.Session.parse(self.spec.session) or sessions.Session()
        self.by_blocks = self.model.edits == "blocks" and BLOCKS in self.tools

    def converse(self, context: TaskContext) -> Artifact:
        """The artifact, yet without its tree. Raises what the teller raises, and BudgetExhausted for tool calls."""
        files = appended_files(self.task, context, self.desk, self.window // 2) if self.by_blocks else ""
        self.messages.append(Message(role="user", text=brief(self.task, context) + files))
        for turn in range(self.spec.turns):
            reply = self.teller.ask(self._request(), self.task.id)
            if (artifact := self._take(reply, turn)) is not None:
                return artifact
            if len(self.errors) >= MAX_ERRORS and len(set(self.errors[-MAX_ERRORS:])) == 1:
                return Artifact(claim="abort", note=f"the same error {MAX_ERRORS} times: {self.errors[-1]}"[:400])
        used = f"{self.spec.turns} turns were used up without a report"
        return Artifact(claim="done", note=used, spent=used)

    def _request(self) -> Request:
        offered = () if self.by_blocks else tuple(tool.spec for name, tool in self.tools.items() if name != BLOCKS)
        return Request(
            system=prompt("executor_blocks" if self.by_blocks else "executor"),
            messages=sessions.shown(self.messages, self.session, self._summary, self.rank, self.window),
            tools=offered,
            max_output=self.model.max_output,
            temperature=self.model.temperature,
        )

    def _summary(self, before: str, part: Sequence[sessions.Exchange]) -> str:
        """Bought once: the log holds the reply to the same request."""
        turns = "\n\n".join(sessions.plain(exchange) for exchange in part)
        text = f"# Summary so far\n{before or '(nothing yet)'}\n\n# What followed\n{data(turns)}"
        message = Message(role="user", text=text)
        request = Request(system=prompt("summary"), messages=(message,), max_output=SUMMARY_OUTPUT)
        reply = self.teller.ask(request, self.task.id)
        notes = reply.text.strip()
        if reply.stop == "end" and notes:
            return notes
        # No summary is better than a cut one or a refusal: what cannot be summed up is told in part.
        return f"{before}\n{turns[:SPARE]}".strip()

    def _take(self, reply: Reply, turn: int) -> Artifact | None:
        if reply.stop not in ("end", "tool"):
            # Never applied, however whole the arguments look: nobody knows what was cut off.
            self._answer(reply, f"Your answer was not whole ({reply.stop}). Nothing of it was done. Be shorter.")
            return None
        if not reply.calls:
            return self._take_text(reply, turn)
        self.used_tools = True
        calls = _distinct(reply.calls, {call.id for message in self.messages for call in message.calls})
        given = [call.id for call in reply.calls]
        self.messages.append(_said(reply, calls))
        artifact = None
        wrong: list[str] = []
        for number, call in enumerate(calls):
            if given[number] in given[:number]:
                ok, text = False, f"two calls have the id {given[number]!r}; this one was not done"
            else:
                ok, text = self.hands.call(call)
            if ok and call.name == "report":
                artifact = parse_report(call.arguments)
            wrong += [] if ok else [text]
            shown = self.shelf.place(text)
            text, pinned = data(shown) if ok else shown, ok and call.name in PINNED
            self.messages.append(Message(role="tool", call_id=call.id, text=text, pinned=pinned))
        self._count("; ".join(wrong) or None)  # one for the whole answer: the model has yet to see the first
        return artifact

    def _take_text(self, reply: Reply, turn: int) -> Artifact | None:
        """An answer without calls: in some dialects its blocks are the change."""
        if BLOCKS not in self.tools or self.model.edits == "tools" or "```" not in reply.text.replace("~~~", "```"):
            wanted = (
                "Send the changed functions or files in fenced blocks."
                if self.by_blocks
                else ("No tool was used. Go on with the tools, or end the task with `report`.")
            )
            self._answer(reply, wanted)
            return None
        call = ToolCall(id=f"{BLOCKS}-{turn}", name=BLOCKS, arguments=json.dumps({"answer": reply.text}))
        ok, text = self.hands.call(call)
        if ok and not self.used_tools:
            return Artifact(claim="done", note=f"{text}, by fenced blocks")
        self._answer(reply, data(text) if ok else text, error=None if ok else text)
        return None

    def _answer(self, reply: Reply, text: str, error: str | None = "") -> None:
        """Say `text` to a reply; it counts as the error `error` (default: itself; None: it is none)."""
        self._count(text if error == "" else error)
        if reply.text:
            self.messages.append(Message(role="assistant", text=reply.text))
            self.messages.append(Message(role="user", text=text))
        else:
            self.messages[-1:] = [_longer(self.messages[-1], text)]

    def _count(self, error: str | None) -> None:
        self.errors = [*self.errors, error] if error else []


def _distinct(calls: Sequence[ToolCall], taken: set[str]) -> tuple[ToolCall, ...]:
    """The calls with ids of their own: services refuse a conversation in which one comes twice."""
    found: list[ToolCall] = []
    for call in calls:
        name = call.id
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(call if name == call.id else call.model_copy(update={"id": name}))
    return tuple(found)


def _said(reply: Reply, calls: tuple[ToolCall, ...]) -> Message:
    """The model's turn as it goes back to it: as it came, unless an id was taken or it is too long to carry along."""
    short = tuple(
        call
        if len(call.arguments) <= LONGEST_CALL
        else call.model_copy(update={"arguments": json.dumps({"left_out": f"{len(call.arguments)} characters"})})
        for call in calls
    )
    raw = reply.raw if short == reply.calls else None
    return Message(role="assistant", text=reply.text, calls=short, raw=raw)


def _longer(message: Message, text: str) -> Message:
    """`message` with `text` behind it: two turns of one side in a row are not allowed everywhere."""
    return message.model_copy(update={"text": f"{message.text}\n\n{text}"})
