"""How hard a run's checks are to fool, all taken together.

All of them must pass, so whoever cheats has to fool each one: together they are as strong as their strongest. That
holds for what the strongest covers, and for no more; so the weaker ones are always named beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentloop.core.check import STRENGTHS, CheckResult, CheckSpec, HiddenSpec, Strength
from agentloop.core.goal import Goal

REACH: Mapping[str, Strength] = {"io": "out-of-process", "pytest": "visible", "new_test": "visible"}
"""Kind → the strongest verdict that it can give; all others reach `exit-code`."""

MEANS: Mapping[Strength, str] = {
    "exit-code": "any kind",
    "visible": "`pytest` instead of a command that runs the tests",
    "hidden": "a check under `hidden:`, which no model sees",
    "out-of-process": "an `io` check, which compares the program's output outside of its process",
}


def rank(strength: Strength) -> int:
    """0 for the weakest."""
    return STRENGTHS.index(strength)


def reach(spec: CheckSpec) -> Strength:
    """The strongest verdict that `spec` can give by its kind, and by being hidden."""
    own = REACH.get(spec.kind, "exit-code")
    return max(own, "hidden", key=rank) if isinstance(spec, HiddenSpec) else own


def strongest(found: Iterable[Strength]) -> Strength:
    """Of all that must pass; `exit-code` where there are none."""
    return max(found, key=rank, default="exit-code")


def shortfall(goal: Goal, specs: Iterable[tuple[CheckSpec, Strength]]) -> str:
    """Why the goal's checks can't reach its `strength`, each check named with what it reaches; empty where they can.

    `specs` are the checks that decide, with what each can reach.
    """
    if goal.strength is None:
        return ""
    reached = list(specs)
    if rank(strongest(strength for _, strength in reached)) >= rank(goal.strength):
        return ""
    told = "; ".join(f"{spec.label!r} reaches {strength}" for spec, strength in reached)
    return f"`strength: {goal.strength}` can't be reached: {told}; right would be {MEANS[goal.strength]}"


def deciding(goal: Goal) -> list[tuple[CheckSpec, Strength]]:
    """The checks that decide a run of `goal`, with the strongest verdict that each can give."""
    return [(spec, reach(spec)) for spec in (*goal.accept, *goal.hidden)]


def strong_enough(result: CheckResult, spec: CheckSpec, least: Strength | None) -> CheckResult:
    """`result`, or `failed` where it passed more weakly than `least` although its kind can do better: a canary that
    could not be planted must not lower what the goal asks for. A check that never could do better is left alone:
    `shortfall` has seen to it that another one can."""
    if not (least and result.passed and rank(reach(spec)) >= rank(least) > rank(result.strength)):
        return result
    reason = f"passed, but only at strength {result.strength}; the goal asks for {least}"
    return result.model_copy(update={"status": "failed", "reason": reason})


def standing(tree: str, found: Iterable[tuple[str, Strength]]) -> str:
    """The last word on a run that reached its goal; `found` are the deciding checks by name with their strength."""
    rows = list(found)
    best = strongest(strength for _, strength in rows)
    weaker = [f"{name!r} at {strength}" for name, strength in rows if strength != best]
    more = f" (weaker: {', '.join(weaker)})" if weaker else ""
    return f"declared checks passed on tree {tree[:12]} at strength {best}{more}"
