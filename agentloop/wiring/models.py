"""From the goal's `models:` to models that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentloop.core.chat import Reply
from agentloop.core.goal import Budget, Goal, ModelSpec
from agentloop.errors import Refused
from agentloop.ports import Model, ModelError
from agentloop.providers import load
from agentloop.providers.retry import with_retries
from agentloop.roles.teller import Teller
from agentloop.state import State

ATTEMPTS = 4


@dataclass(frozen=True)
class Staff:
    """The models of a run by role, best first. Empty for the model-free pair."""

    specs: Mapping[str, tuple[ModelSpec, ...]]
    models: Mapping[str, tuple[Model, ...]]

    def teller(self, state: State, role: str) -> Teller:
        """Who asks and pays for `role`."""
        return Teller(state, role, self.models[role], _retrying(state))

    def spec(self, role: str) -> ModelSpec:
        """The settings of the first model of `role`."""
        return self.specs[role][0]

    def names(self, role: str) -> str:
        """For people: the models of `role`, in order of use."""
        return ", then ".join(model.name for model in self.models.get(role, ()))


def hire(goal: Goal, budget: Budget, environ: Mapping[str, str]) -> Staff:
    """The models of `goal`. Raises Refused where a role, a key or a price is missing."""
    if goal.models:
        for role in ("planner", "executor"):
            if role not in goal.models:
                raise Refused(f"models: {role} is missing", f'add `{role}: "provider:model"`, or leave `models:` out')
    models = {role: tuple(load(spec, environ) for spec in specs) for role, specs in goal.models.items()}
    for role, loaded in models.items():
        for model in loaded:
            if budget.usd is not None and model.price is None:
                raise Refused(
                    f"models: {role}: the price of {model.name} is not known, and the budget is in usd",
                    "state `price: {input: …, output: …}` (US dollars per million tokens), or limit tokens instead",
                )
    return Staff(goal.models, models)


def _retrying(state: State) -> Callable[[Callable[[], Reply]], Reply]:
    def retry(call: Callable[[], Reply]) -> Reply:
        limit = state.folded.limits.milliseconds
        left = None if limit is None else max(0.0, (limit - state.folded.purse.elapsed(state.now())) / 1000)
        return with_retries(call, attempts=ATTEMPTS, deadline=left, on_fault=_noted)

    return retry


def _noted(error: ModelError) -> None:
    """Each fault is recorded by the teller, which knows what it may have cost."""
