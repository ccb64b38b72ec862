"""Doing what a model calls for: each call once, on record with the tree it left behind."""

from __future__ import annotations

from collections.abc import Mapping

from agentloop.core import events as e
from agentloop.core.chat import ToolCall
from agentloop.errors import BudgetExhausted
from agentloop.ports import Desk, DeskError, Tool
from agentloop.state import State
from agentloop.tools import invoke


class Hands:
    """The tools of one task at its desk. Calls that the log already holds are answered from it."""

    def __init__(self, state: State, task: str, tools: Mapping[str, Tool], desk: Desk) -> None:
        self._state, self._task, self._tools, self._desk = state, task, tools, desk
        self._past = [event for event in state.folded.unit if isinstance(event, e.ToolRan)]

    def call(self, call: ToolCall) -> tuple[bool, str]:
        """Whether the call was done, and its whole result. Raises BudgetExhausted where no tool call is left."""
        state = self._state
        if self._past:
            return self._replayed(self._past.pop(0))
        limit = state.folded.limits.tool_calls
        if limit is not None and state.folded.purse.tool_calls >= limit:
            raise BudgetExhausted(f"tool_calls: {limit} of {limit} are used", state.summary())
        started = state.now()
        ok, text = invoke(self._tools, call, self._desk)
        try:
            tree = self._desk.snapshot().digest
        except DeskError as error:
            ok, text, tree = False, str(error), self._desk.snapshot().digest
        result = state.log.put(text.encode("utf-8", "surrogateescape"))
        took = max(0, state.now() - started)
        ran = e.ToolRan(
            task=self._task,
            call=call.id[:80],
            tool=call.name[:40],
            ok=ok,
            result=result,
            tree=tree,
            milliseconds=took,
        )
        state.record(ran)
        return ok, text

    def _replayed(self, event: e.ToolRan) -> tuple[bool, str]:
        if not self._past:
            self._desk.restore(event.tree)
        return event.ok, self._state.log.get(event.result).decode("utf-8", "surrogateescape")
