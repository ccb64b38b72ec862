"""What a plan must be, as pure functions that find every problem at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from agentloop.core.check import CheckSpec
from agentloop.core.globs import glob_problem
from agentloop.core.standing import used
from agentloop.core.task import MAX_TASKS, Plan, Task

MAX_CHECKS_OF_TASK = 8

_CONTROL_FLOW = re.compile(
    r"\bif (?:that|this|it|the \w+|any \w+) (?:fails?|does(?: not|n't)|is(?: not|n't)|passes)\b"
    r"|\bin case (?:of|it|that)\b|\botherwise,|\bkeep trying\b|\brepeat until\b|\bretry until\b|\bfall back to\b",
    re.IGNORECASE,
)


_TOOL = re.compile(r"(?:\btool |(?=`\w+` tool\b))`(\w+)`")


@dataclass(frozen=True)
class Catalogue:
    """What a planner was shown: capabilities and check kinds by exact name, and what a plan is measured against.

    `capabilities` maps a name to what it does. `problems` says what is wrong with a kind's parameters.
    `checks` are the names of the goal's checks, `unmet` those not yet won. `known` are ids of tasks that passed.
    `failed` holds signatures of tasks that failed on the present tree and facts, `finished` of those that passed on
    the present tree, `plans` those of earlier plans. `tools` maps a tool to what it takes, `outside` says why a glob
    names nothing that may change, `lacking` are programs that can't be started, `refusal` says why a command line may
    not be. `usd_left` and `ticks_left` are None without a limit.
    """

    version: str
    capabilities: Mapping[str, str]
    kinds: Mapping[str, str]
    problems: Callable[[str, Any], list[str]]
    outside: Callable[[str], str | None] = lambda glob: None
    tools: Mapping[str, str] = field(default_factory=dict)
    refusal: Callable[[str], str | None] = lambda line: None
    lacking: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()
    unmet: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
    plans: frozenset[str] = frozenset()
    ticks_left: int | None = None
    usd_left: float | None = None
    approvals: frozenset[str] = field(default_factory=frozenset)


def plan_problems(plan: Plan, catalogue: Catalogue) -> list[str]:
    """Everything wrong with `plan` that can be said without running anything, in the planner's vocabulary."""
    found: list[str] = []
    if plan.catalogue != catalogue.version:
        found.append(
            f"the plan is for catalogue {plan.catalogue!r}; the present one is {catalogue.version!r}: plan with the "
            "capabilities, tools and check kinds listed there"
        )
    if len(plan.tasks) > MAX_TASKS:
        found.append(f"{len(plan.tasks)} tasks; plan one, at most {MAX_TASKS}: you are asked again after each")
    found += over_budget(plan, catalogue)
    ids = [task.id for task in plan.tasks]
    found += [f"task id {name!r} is used twice" for name in sorted({n for n in ids if ids.count(n) > 1})]
    if plan.tasks and plan.signature in catalogue.plans:
        found.append(
            "oscillation: an earlier plan had these very tasks: its results stand in the facts; plan something else"
        )
    assumptions = {assumption.id for assumption in plan.assumptions}
    for assumption in plan.assumptions:
        found += [f"assumption {assumption.id}: {problem}" for problem in _kinds(assumption.checks, catalogue)]
    earlier: set[str] = set()
    for task in plan.tasks:
        problems = [
            *_names(task, catalogue, assumptions),
            *_needs(task, ids, earlier, catalogue),
            *_checks(task, catalogue),
            *_sense(task, catalogue),
            *_means(task, catalogue),
        ]
        found += [f"task {task.id}: {problem}" for problem in problems]
        earlier.add(task.id)
    return found


def over_budget(plan: Plan, catalogue: Catalogue) -> list[str]:
    """What of a limit is not left for `plan`."""
    found = []
    if catalogue.ticks_left is not None and len(plan.tasks) > catalogue.ticks_left:
        found.append(f"{len(plan.tasks)} tasks, but the budget has {catalogue.ticks_left} ticks left")
    cost = sum(task.expected_cost or 0 for task in plan.tasks)
    if catalogue.usd_left is not None and cost > catalogue.usd_left:
        found.append(f"the tasks are expected to cost ${cost:g}, but the budget has ${catalogue.usd_left:.4f} left")
    return found


def repeated(plan: Plan, catalogue: Catalogue) -> list[str]:
    """The specifications in `plan` that had their try, each as a sentence for a fact."""
    again = [task for task in plan.tasks if task.signature in catalogue.failed]
    found = [f"the task {task.directive[:120]!r} ({task.capability}) was planned again after it had failed; "
             "the same specification is refused while tree and facts are the same" for task in again]  # fmt: skip
    if plan.tasks and plan.signature in catalogue.plans and not again:
        tasks = ", ".join(repr(task.directive[:80]) for task in plan.tasks)
        found.append(f"a plan of an earlier plan's very tasks was refused as oscillation: {tasks}")
    return found


def _kinds(checks: Sequence[CheckSpec], catalogue: Catalogue) -> list[str]:
    found = []
    for check in checks:
        if check.kind not in catalogue.kinds:
            found.append(unknown("check kind", check.kind, catalogue.kinds))
        else:
            found += [f"check {check.label}: {problem}" for problem in catalogue.problems(check.kind, check.params)]
    return found


def _means(task: Task, catalogue: Catalogue) -> list[str]:
    """What `task` would use that is not to be had."""
    found = [
        f"it uses `{name}`, which could not be started here (see the facts): do without it"
        for name in used(task, catalogue.lacking)
    ]
    if task.capability == "command" and (why := catalogue.refusal(task.directive)):
        found.append(f"its command line can't be run: {why}")
    for name in _TOOL.findall(task.directive) if catalogue.tools else ():
        if name not in catalogue.tools:
            found.append(unknown("tool", name, catalogue.tools))
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
    return found + _kinds(task.acceptance, catalogue)


def _sense(task: Task, catalogue: Catalogue) -> list[str]:
    found = []
    if flow := _CONTROL_FLOW.search(task.directive):
        found.append(f"control flow in the directive ({flow.group(0)!r}): say one thing; you are asked again after it")
    if task.directive.strip().strip("`'\"") in {*catalogue.checks, *(check.label for check in task.acceptance)}:
        found.append(f"the directive only names a check ({task.directive!r}): say in words what to change or find out")
    found += [why for glob in (*task.reads, *task.writes) if (why := glob_problem(glob))]
    for glob in task.writes:
        if not glob_problem(glob) and (why := catalogue.outside(glob)):
            found.append(why)
    if task.signature in catalogue.finished:
        found.append("this very task already passed on the present tree: finished work stands; plan what is left")
    if task.signature in catalogue.failed:
        found.append("this very task already failed on the same tree with the same facts; change what it does")
    return found


def unknown(what: str, name: str, known: Any) -> str:
    """The sentence for a name that does not exist, with the nearest ones or all."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return f"unknown {what} {name!r}; {hint}"
