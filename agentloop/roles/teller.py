"""Every model call of a run goes through here: reserved before it leaves, recorded before it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from agentloop.core import events as e
from agentloop.core.chat import Reply, Request
from agentloop.errors import BudgetExhausted, ProviderFailed
from agentloop.ports import Model, ModelError
from agentloop.state import State

T = TypeVar("T")
Retry = Callable[[Callable[[], Reply]], Reply]
"""Calls a function again while it raises a retryable ModelError; in the end it raises the last one."""


class Teller:
    """Asks the models of one role, in order, and pays.

    A reply that the log already holds for the same request of the task under way is used again and not bought
    a second time: that is how a resumed task goes on.
    """

    def __init__(self, state: State, role: str, models: tuple[Model, ...], retry: Retry) -> None:
        self.state = state
        self.role = role
        self.models = models
        self._retry = retry

    def ask(self, request: Request, task: str = "") -> Reply:
        """The reply to `request`. Raises BudgetExhausted where its worst case does not fit what is left, and
        ProviderFailed where every model failed beyond its retries."""
        digest = self.state.log.put(request.model_dump_json().encode())
        if (reply := self._recorded(digest)) is not None:
            return reply
        reasons = []
        for model in self.models:
            try:
                return self._retry(lambda model=model: self._attempt(model, request, digest, task))  # type: ignore[misc]
            except ModelError as error:
                reasons.append(f"{model.name}: {error.reason}")
        reason = f"{self.role}: " + "; ".join(reasons)
        raise ProviderFailed(reason, self.state.summary())

    def _recorded(self, digest: str) -> Reply | None:
        for event in self.state.folded.unit:
            if isinstance(event, e.Replied) and event.request == digest and event.role == self.role:
                return Reply.model_validate_json(self.state.log.get(event.reply))
        return None

    def _attempt(self, model: Model, request: Request, digest: str, task: str) -> Reply:
        bound = model.bound(request)
        nano = model.price.worst(bound, request.max_output) if model.price else 0
        tokens = bound + request.max_output
        purse, limits = self.state.folded.purse, self.state.folded.limits
        if why := purse.refusal(limits, nano, tokens, self.state.now()):
            raise BudgetExhausted(why, self.state.summary())
        asked = e.Asked(role=self.role, task=task, model=model.name, request=digest, nano=nano, tokens=tokens)
        self.state.record(asked)
        started = self.state.now()
        try:
            reply = model.ask(request)
        except ModelError as error:
            self._lost(asked, error.reason, error.billed)
            raise
        except BaseException:
            self._lost(asked, "interrupted", True)
            raise
        self._paid(asked, reply, model.price.cost(reply.usage) if model.price else 0, self.state.now() - started)
        return reply

    def _lost(self, asked: e.Asked, reason: str, billed: bool) -> None:
        """Record that no whole reply came; a call that the service may have counted stays paid at its worst."""
        nano, tokens = (asked.nano, asked.tokens) if billed else (0, 0)
        about = asked.model_dump(include=set(e.Exchange.model_fields))
        lost = {"reason": reason, "nano": nano, "tokens": tokens}
        self.state.record(e.Unanswered.model_validate({**about, **lost}))

    def _paid(self, asked: e.Asked, reply: Reply, nano: int, milliseconds: int) -> None:
        about = asked.model_dump(include=set(e.Exchange.model_fields))
        blob = self.state.log.put(reply.model_dump_json().encode())
        paid = {"reply": blob, "usage": reply.usage, "nano": nano, "stop": reply.stop}
        self.state.record(e.Replied.model_validate({**about, **paid, "milliseconds": max(0, milliseconds)}))
