"""Every model call of a run goes through here: reserved before it leaves, recorded before it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.core import events as e
from agentloop.core.chat import Reply, Request
from agentloop.core.secrets import Secrets
from agentloop.core.usage import FREE
from agentloop.errors import BudgetExhausted, ProviderFailed
from agentloop.ports import Model, ModelError, Pulse, unwatched
from agentloop.state import State

Retry = Callable[[Callable[[], Reply]], Reply]
"""Calls a function again while it raises a retryable ModelError; in the end it raises the last one."""

BYTES = 8
"""Of text in one token, at the very most: the bound by bytes is never more than so many times the truth."""


class Teller:
    """Asks the models of one role, in order, and pays. Safe to use from several threads.

    A reply that the log already holds for the same request of the task under way is used again and not bought
    a second time: that is how a resumed task goes on.
    """

    def __init__(
        self,
        state: State,
        role: str,
        models: tuple[Model, ...],
        retry: Retry,
        pulse: Pulse = unwatched,
        secrets: Secrets | None = None,
    ) -> None:
        self.state = state
        self.role = role
        self.models = models
        self._retry = retry
        self._pulse = pulse
        self._secrets = secrets or Secrets()

    def ask(self, request: Request, task: str = "") -> Reply:
        """The reply to `request`. Raises BudgetExhausted where its worst case does not fit what is left, and
        ProviderFailed where every model failed beyond its retries."""
        body = request.model_dump_json().encode()
        if (cleaned := self._secrets.clean(body)) != body:  # what must not be stored must not be sent either
            request = Request.model_validate_json(cleaned)
        digest = self.state.log.put(cleaned)
        if (reply := self._recorded(digest)) is not None:
            return reply
        reasons = []
        for model in self.models:
            try:
                return self._retry(lambda model=model: self._attempt(model, request, digest, task))  # type: ignore[misc]
            except ModelError as error:
                reasons.append(f"{model.name}: {error.reason}")
        if over := self.state.folded.purse.overtime(self.state.folded.limits, self.state.now()):
            raise BudgetExhausted(over, self.state.summary())  # it was not the service that had no time left
        reason = f"{self.role}: " + "; ".join(reasons)
        raise ProviderFailed(reason, self.state.summary())

    def _recorded(self, digest: str) -> Reply | None:
        for event in self.state.folded.unit:
            if isinstance(event, e.Replied) and event.request == digest and event.role == self.role:
                return Reply.model_validate_json(self.state.log.get(event.reply))
        return None

    def _attempt(self, model: Model, request: Request, digest: str, task: str) -> Reply:
        asked = self._reserve(model, request, digest, task)
        started = self.state.now()
        try:
            fitted = request.model_copy(update={"max_output": asked.max_output})
            reply = self._clean(model.ask(fitted, self._pulse, self._seconds_left()))
        except ModelError as error:
            self._lost(asked, error.reason, error.billed)
            raise
        except BaseException:
            self._lost(asked, "interrupted", True)
            raise
        price = model.price or FREE
        self._paid(asked, reply, price.cost(reply.usage), self.state.now() - started)
        return reply

    def _clean(self, reply: Reply) -> Reply:
        """The reply as the log will hold it: a resumed run must go on from the same."""
        body = reply.model_dump_json().encode()
        cleaned = self._secrets.clean(body)
        return reply if cleaned == body else Reply.model_validate_json(cleaned)

    def _reserve(self, model: Model, request: Request, digest: str, task: str) -> e.Asked:
        """Record the call with its worst case, which is then taken from what is left. The bound by bytes is enough
        while it fits; where it does not, but the truth may, the service is asked to count."""
        bound, price = model.bound(request), model.price or FREE
        whole = self._allowance(model, request, bound) == request.max_output
        if not whole and isinstance(self._allowance(model, request, bound // BYTES), int):
            bound = min(bound, model.count(request) or bound)
        with self.state.lock:
            output = self._allowance(model, request, bound)
            if isinstance(output, str):
                raise BudgetExhausted(output, self.state.summary())
            asked = e.Asked(
                call=self.state.folded.purse.calls + 1,
                role=self.role,
                task=task,
                model=model.name,
                request=digest,
                nano=price.worst(bound, output),
                tokens=bound + output,
                max_output=output,
                lowered=output < request.max_output,
            )
            self.state.record(asked)
        return asked

    def _allowance(self, model: Model, request: Request, bound: int) -> int | str:
        purse, limits = self.state.folded.purse, self.state.folded.limits
        return purse.allowance(limits, model.price or FREE, bound, request.max_output, self.state.now())

    def _seconds_left(self) -> float | None:
        """Of the run's minutes; never 0, which would be no limit."""
        limit = self.state.folded.limits.milliseconds
        if limit is None:
            return None
        return max(0.001, (limit - self.state.folded.purse.elapsed(self.state.now())) / 1000)

    def _lost(self, asked: e.Asked, reason: str, billed: bool) -> None:
        """Record that no whole reply came; a call that the service may have counted stays paid at its worst."""
        nano, tokens = (asked.nano, asked.tokens) if billed else (0, 0)
        lost = {"reason": reason, "nano": nano, "tokens": tokens}
        self.state.record(e.Unanswered.model_validate({**_about(asked), **lost}))

    def _paid(self, asked: e.Asked, reply: Reply, nano: int, milliseconds: int) -> None:
        paid = {
            "reply": self.state.log.put(reply.model_dump_json().encode()),
            "usage": reply.usage,
            "nano": nano,
            "stop": reply.stop,
            "milliseconds": max(0, milliseconds),
            "noticed": "; ".join(reply.noticed),
        }
        self.state.record(e.Replied.model_validate({**_about(asked), **paid}))


def _about(asked: e.Asked) -> dict[str, Any]:
    """What the answer's record repeats of the question's."""
    return asked.model_dump(include=set(e.Exchange.model_fields))
