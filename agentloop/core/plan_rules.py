"""What a plan must be, as pure functions that find every problem at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from agentloop.core.globs import glob_problem
from agentloop.core.task import MAX_TASKS, Plan, Task

MAX_CHECKS_OF_TASK = 8

_CONTROL_FLOW = re.compile(
    r"\bif (?:that|this|it|the \w+|any \w+) (?:fails?|does(?: not|n't)|is(?: not|n't)|passes)\b"
    r"|\bin case (?:of|it|that)\b|\botherwise,|\bkeep trying\b|\brepeat until\b|\bretry until\b|\bfall back to\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Catalogue:
    """What a planner was shown: capabilities and check kinds by exact name, and what a plan is measured against.

    `capabilities` maps a name to what it does. `problems` says what is wrong with a kind's parameters.
    `checks` are the names of the goal's checks, `unmet` those not yet won. `known` are ids of tasks that passed.
    `failed` holds signatures of tasks that failed on the present tree and facts, `plans` those of earlier plans.
    """

    version: str
    capabilities: Mapping[str, str]
    kinds: Mapping[str, str]
    problems: Callable[[str, Any], list[str]]
    allow: Callable[[str], bool]
    checks: frozenset[str] = frozenset()
    unmet: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    plans: frozenset[str] = frozenset()
    ticks_left: int | None = None
    approvals: frozenset[str] = field(default_factory=frozenset)


def plan_problems(plan: Plan, catalogue: Catalogue) -> list[str]:
    """Everything wrong with `plan` that can be said without running anything, in the planner's vocabulary."""
    found: list[str] = []
    if len(plan.tasks) > MAX_TASKS:
        found.append(f"{len(plan.tasks)} tasks; plan one, at most {MAX_TASKS}: you are asked again after each")
    if catalogue.ticks_left is not None and len(plan.tasks) > catalogue.ticks_left:
        found.append(f"{len(plan.tasks)} tasks, but the budget has {catalogue.ticks_left} ticks left")
    ids = [task.id for task in plan.tasks]
    found += [f"task id {name!r} is used twice" for name in sorted({n for n in ids if ids.count(n) > 1})]
    if plan.tasks and plan.signature in catalogue.plans:
        found.append("an earlier plan had these very tasks: its results stand in the facts; plan something else")
    assumptions = {assumption.id for assumption in plan.assumptions}
    earlier: set[str] = set()
    for task in plan.tasks:
        problems = [
            *_names(task, catalogue, assumptions),
            *_needs(task, ids, earlier, catalogue),
            *_checks(task, catalogue),
            *_sense(task, catalogue),
        ]
        found += [f"task {task.id}: {problem}" for problem in problems]
        earlier.add(task.id)
    return found


def _names(task: Task, catalogue: Catalogue, assumptions: set[str]) -> list[str]:
    found = []
    if task.capability not in catalogue.capabilities:
        found.append(unknown("capability", task.capability, catalogue.capabilities))
    if task.id in catalogue.used:
        found.append(f"the id {task.id!r} was used before; take a new one")
    found += [unknown("assumption", name, assumptions) for name in task.assumes if name not in assumptions]
    found += [unknown("goal check", name, catalogue.checks) for name in task.may_break if name not in catalogue.checks]
    if not set(task.toward) & catalogue.unmet:
        found.append(f"`toward` names no unmet goal check; unmet are: {', '.join(sorted(catalogue.unmet))}")
    return found


def _needs(task: Task, ids: list[str], earlier: set[str], catalogue: Catalogue) -> list[str]:
    found = []
    for need in task.needs:
        if need == task.id or (need in ids and need not in earlier):
            found.append(f"it needs {need!r}, which does not come before it in this plan")
        elif need not in earlier and need not in catalogue.known:
            known = sorted({*earlier, *catalogue.known})
            found.append(
                f"it needs {need!r}, which is no task that has passed or comes before it; `needs` lists ids of tasks "
                f"({', '.join(known) or 'there is none yet'}), and is [] where none is needed"
            )
    return found


def _checks(task: Task, catalogue: Catalogue) -> list[str]:
    found = []
    if not task.acceptance:
        found.append("it has no acceptance check: nothing could say that it is done")
    if len(task.acceptance) > MAX_CHECKS_OF_TASK:
        found.append(f"{len(task.acceptance)} acceptance checks; at most {MAX_CHECKS_OF_TASK}")
    for check in task.acceptance:
        if check.kind not in catalogue.kinds:
            found.append(unknown("check kind", check.kind, catalogue.kinds))
        else:
            found += [f"check {check.label}: {problem}" for problem in catalogue.problems(check.kind, check.params)]
    return found


def _sense(task: Task, catalogue: Catalogue) -> list[str]:
    found = []
    if flow := _CONTROL_FLOW.search(task.directive):
        found.append(f"control flow in the directive ({flow.group(0)!r}): say one thing; you are asked again after it")
    if task.directive.strip().strip("`'\"") in {*catalogue.checks, *(check.label for check in task.acceptance)}:
        found.append(f"the directive only names a check ({task.directive!r}): say in words what to change or find out")
    found += [why for glob in (*task.reads, *task.writes) if (why := glob_problem(glob))]
    for glob in task.writes:
        if "*" not in glob and not catalogue.allow(glob):
            found.append(f"{glob!r} is outside the files that may change")
    if task.signature in catalogue.failed:
        found.append("this very task already failed on the same tree with the same facts; change what it does")
    return found


def unknown(what: str, name: str, known: Any) -> str:
    """The sentence for a name that does not exist, with the nearest ones or all."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return f"unknown {what} {name!r}; {hint}"
