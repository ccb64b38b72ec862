"""Assumptions of the present plan are looked at again as the tree changes, where they have a check of their own."""

from __future__ import annotations

from collections.abc import Callable

from agentloop.core import events as e
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.task import Plan
from agentloop.state import State


def doubt(state: State, probe: Callable[[CheckSpec, State], CheckResult]) -> None:
    """Record each assumption that a waiting task rests on and whose check does not pass on the candidate any more."""
    folded = state.folded
    asked = {name for head in folded.queue for name in head.assumes} - folded.broken
    if not asked:
        return
    plan = Plan.model_validate_json(state.log.get(folded.plan))
    for assumption in (known for known in plan.assumptions if known.id in asked):
        for check in assumption.checks:
            result = probe(check, state)
            if not result.passed:
                reason = f"{check.label}: {result.reason}"
                state.record(e.Contradicted(assumption=assumption.id, text=assumption.text, reason=reason))
                break
