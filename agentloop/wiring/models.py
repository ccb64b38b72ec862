"""From the goal's `models:` to models that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

from agentloop.core.chat import Reply
from agentloop.core.goal import Budget, Goal, ModelSpec
from agentloop.core.secrets import LEAST, Secrets, of_environment
from agentloop.errors import Refused
from agentloop.ports import Model
from agentloop.providers import PROVIDERS, load
from agentloop.providers.means import Means
from agentloop.providers.prices import tokens_of
from agentloop.providers.retry import with_retries
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.wiring.options import Options
from agentloop.wiring.past import cassette
from agentloop.workers.recall import available

ATTEMPTS = 4
DEADLINE = 600.0
"""Seconds after which a call is not tried again, if the run's minutes are not over before."""


@dataclass(frozen=True)
class Staff:
    """The models of a run by role, best first. Empty for the model-free pair."""

    specs: Mapping[str, tuple[ModelSpec, ...]]
    models: Mapping[str, tuple[Model, ...]]

    def teller(self, state: State, role: str, pulse: Callable[[str, int], None], secrets: Secrets) -> Teller:
        """Who asks and pays for `role`; `pulse` is told, while a reply arrives, for whom and how long it is, and
        `secrets` are never sent."""
        return Teller(state, role, self.models[role], _retrying(state), partial(pulse, role), secrets)

    def spec(self, role: str) -> ModelSpec:
        """The settings of the first model of `role`."""
        return self.specs[role][0]

    def names(self, role: str) -> str:
        """For people: the models of `role`, in order of use."""
        return ", then ".join(model.name for model in self.models.get(role, ()))


def hire(goal: Goal, budget: Budget, options: Options) -> Staff:
    """The models of `goal`. Raises Refused where a role, a key or a price is missing."""
    specs = _specs(goal, options.cassette)
    if specs:
        for role in ("planner", "executor"):
            if role not in specs:
                raise Refused(f"models: {role} is missing", f'add `{role}: "provider:model"`, or leave `models:` out')
    _sessions(goal, specs)
    means = Means(options.environ, goal.home, cache(lambda name: cassette(options.runs, name)))
    models = {role: tuple(load(spec, means, role) for spec in chain) for role, chain in specs.items()}
    for role, loaded in models.items():
        for model in loaded:
            if budget.usd is not None and model.price is None:
                raise Refused(
                    f"models: {role}: the price of {model.name} is not known, and the budget is in usd",
                    "state `price: {input: …, output: …}` (US dollars per million tokens), or limit tokens instead",
                )
    return Staff(specs, models)


def secrets_of(goal: Goal, environ: Mapping[str, str]) -> Secrets:
    """The values of the variables that `secrets:` and `key_env:` name, and of every provider's key.

    Raises Refused where a declared one is too short to be told from ordinary text.
    """
    for name in goal.secrets:
        if 0 < len(environ.get(name, "").strip()) < LEAST:
            raise Refused(f"secrets: {name} has less than {LEAST} characters", "a value that short can't be kept out")
    keys = [spec.key_env for chain in goal.models.values() for spec in chain if spec.key_env]
    return of_environment({*goal.secrets, *keys, *(found.key_env for found in PROVIDERS.values())}, environ)


def _sessions(goal: Goal, specs: Mapping[str, object]) -> None:
    """Raise Refused where a session strategy lacks what it needs."""
    for name, worker in goal.workers.items():
        if worker.session.startswith("semantic") and specs and "embedder" not in specs:
            raise Refused(
                f"workers: {name}: session {worker.session} needs an embeddings model",
                'add `embedder: "openai:text-embedding-3-small"` to `models:`, or use `relevant:N`',
            )
        if worker.session.startswith("relevant") and not available():
            raise Refused(
                f"workers: {name}: session {worker.session} needs the package bm25s",
                "install it: pip install 'agentloop[sessions]'",
            )


def _specs(goal: Goal, run: str | None) -> Mapping[str, tuple[ModelSpec, ...]]:
    """The goal's models; with the name of a run, that run's cassette in the place of each."""
    if run is None:
        return goal.models
    changed = {"model": f"cassette:{run}", "argv": None, "base_url": None, "key_env": None}
    return {
        role: (chain[0].model_copy(update={**changed, "window": chain[0].window or tokens_of(chain[0])}),)
        for role, chain in goal.models.items()
    }


def _retrying(state: State) -> Callable[[Callable[[], Reply]], Reply]:
    def retry(call: Callable[[], Reply]) -> Reply:
        limit = state.folded.limits.milliseconds
        left = DEADLINE if limit is None else (limit - state.folded.purse.elapsed(state.now())) / 1000
        return with_retries(call, attempts=ATTEMPTS, deadline=min(DEADLINE, max(0.0, left)))

    return retry
