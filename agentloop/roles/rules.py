"""The model-free planner: it widens the search of the `repair` worker, step by step, while nothing passes."""

from __future__ import annotations

from itertools import product

from agentloop.core.check import CheckSpec
from agentloop.core.digest import fingerprint
from agentloop.core.events import Planned
from agentloop.core.records import Usable
from agentloop.core.task import Plan, Task
from agentloop.state import State

SCOPES = ("traceback", "function", "file", "allowed")
"""Where to search, narrowest first."""

SEARCHABLE = ("pytest", "run")
"""Kinds of checks that a search can go by, the better first."""

EDITS = {1: "one", 2: "two"}

STEPS = tuple(product((1, 2), SCOPES))
"""Edits per patch, then scope: every single edit is tried before any pair."""


def exhausted_key(check: str, tree: str, scope: str, edits: int) -> str:
    """The key of the measured fact that a search found nothing: check, tree, scope and number of edits."""
    return fingerprint(["repair exhausted", check, tree, scope, edits])


class RulesPlanner:
    """Plans one search at a time, for the first unmet check whose means are not spent."""

    def __init__(self, specs: dict[str, CheckSpec]) -> None:
        self._specs = specs

    def plan(self, state: State) -> Planned | None:
        """The next search; None where every step was taken for every unmet check."""
        for check in state.folded.unmet():
            spec = self._specs[check.key]
            searchable = check.role == "accept" and spec.kind in SEARCHABLE
            if searchable and (step := self._next(state, check)):
                return state.keep_plan(self._widen(state, check, spec, *step))
        return None

    def _next(self, state: State, check: Usable) -> tuple[int, str] | None:
        tree = state.folded.candidate
        for edits, scope in STEPS:
            if exhausted_key(check.key, tree, scope, edits) not in state.folded.measured:
                return edits, scope
        return None

    def _widen(self, state: State, check: Usable, spec: CheckSpec, edits: int, scope: str) -> Plan:
        task = Task(
            id=f"repair-{len(state.folded.plans) + 1}",
            capability="repair",
            directive=f"scope={scope} edits={EDITS[edits]}",
            toward=(check.check,),
            acceptance=(spec,),
        )
        left = [f"{e} edit(s) in {s}" for e, s in STEPS[STEPS.index((edits, scope)) + 1 :]]
        return Plan(roadmap="then: " + ", ".join(left) if left else "this is the last step", tasks=(task,))
