"""Before any model is asked: which of the goal's checks are usable on base, and as what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.goal import Goal
from agentloop.core.records import Usable
from agentloop.core.tree import Tree
from agentloop.roles.verifier import Verifier

GUARD_RUNS = 3
"""How often a guard's tests are run on base: what does not pass each time is not guarded."""


@dataclass(frozen=True)
class Row:
    """A check as preflight found it. `usable.role` is what it will be used as; `refused` says why it can't be.

    `expected` maps test id to outcome on base (None: a check without ids); `note` is for people.
    """

    spec: CheckSpec
    usable: Usable
    result: CheckResult
    expected: Mapping[str, str] | None = None
    note: str = ""
    refused: str = ""


def examine(goal: Goal, verifier: Verifier, base: Tree) -> tuple[Row, ...]:
    """Take every check of `goal` on `base`; nothing is raised for what is found."""
    rows = [_accept(spec, verifier, base) for spec in goal.accept]
    rows += [_guard(spec, verifier, base, "guard") for spec in goal.guard]
    rows += [_hidden(spec, verifier, base) for spec in goal.hidden]
    return tuple(_distinct(rows))


def seconds(rows: tuple[Row, ...]) -> float:
    """An estimate of what one whole verification takes: the time of every usable check, taken once."""
    return sum(row.result.seconds for row in rows if row.usable.role != "unused")


def _accept(spec: CheckSpec, verifier: Verifier, base: Tree) -> Row:
    result = verifier.take(spec, base)
    if result.status == "passed":
        return _guard(spec, verifier, base, "demoted", result)
    refused = ""
    if result.status != "failed":
        refused = result.reason
        if "no such file" in refused:
            refused += "; a test that the run itself should write is a `new_test` check"
    expected = _outcomes(result) if result.ids or result.failing or result.skipped else None
    return Row(spec, _usable(spec, "accept"), result, expected, f"red on base: {result.reason}", refused)


def _hidden(spec: CheckSpec, verifier: Verifier, base: Tree) -> Row:
    """A hidden check may be red or green on base; it must have been able to run, and each id that it has counts."""
    result = verifier.take(spec, base)
    able = result.status in ("passed", "failed")
    expected = _outcomes(result) if result.ids or result.failing or result.skipped else None
    note = "green on base" if result.passed else f"red on base: {result.reason}"
    return Row(spec, _usable(spec, "hidden"), result, expected, note, "" if able else result.reason)


def _guard(spec: CheckSpec, verifier: Verifier, base: Tree, why: str, first: CheckResult | None = None) -> Row:
    runs = [first or verifier.take(spec, base)]
    note = "green on base, so it can't show that the goal is reached: used as a guard; " if why == "demoted" else ""
    if runs[0].status in ("error", "tamper"):
        return Row(spec, _usable(spec, "unused"), runs[0], refused=runs[0].reason)
    if not (runs[0].ids or runs[0].failing):
        return _whole(spec, runs[0], note)
    runs += [verifier.take(spec, base) for _ in range(GUARD_RUNS - 1)]
    always = set(runs[0].ids).intersection(*(run.ids for run in runs[1:]))
    ever = set().union(*(run.ids for run in runs))
    never = set().union(*(run.failing for run in runs)) - ever
    note += f"{len(always)} tests guarded"
    note += f"; flaky, not guarded: {_some(ever - always)}" if ever - always else ""
    note += f"; red on base, not guarded: {_some(never)}" if never else ""
    if not always:
        return Row(spec, _usable(spec, "unused"), runs[0], None, note, "it guards nothing: no test passes on base")
    result = runs[0].model_copy(
        update={"status": "passed", "ids": tuple(sorted(always)), "failing": (), "reason": "as on base"}
    )
    return Row(spec, _usable(spec, "guard"), result, dict.fromkeys(sorted(always), "passed"), note)


def _whole(spec: CheckSpec, result: CheckResult, note: str) -> Row:
    """A guard without ids: it is green on base, or it guards nothing."""
    if result.passed:
        return Row(spec, _usable(spec, "guard"), result, None, note + "green on base")
    return Row(
        spec, _usable(spec, "unused"), result, refused=f"it is red on base, so it guards nothing: {result.reason}"
    )


def _outcomes(result: CheckResult) -> dict[str, str]:
    parts = (("passed", result.ids), ("failed", result.failing), ("skipped", result.skipped))
    return {test: outcome for outcome, tests in parts for test in tests}


def _usable(spec: CheckSpec, role: str) -> Usable:
    return Usable.model_validate({"check": spec.label, "key": spec.key, "role": role})


def _some(tests: set[str]) -> str:
    shown = sorted(tests)[:3]
    return ", ".join(shown) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")


def _distinct(rows: list[Row]) -> list[Row]:
    """Rows of the same check are one, and equal names are numbered: planners call checks by name."""
    seen: dict[str, int] = {}
    keys: set[str] = set()
    distinct = []
    for row in rows:
        if row.usable.key in keys:
            continue
        keys.add(row.usable.key)
        count = seen[row.usable.check] = seen.get(row.usable.check, 0) + 1
        name = row.usable.check if count == 1 else f"{row.usable.check} ({count})"
        named = row.usable.model_copy(update={"check": name})
        distinct.append(Row(row.spec, named, row.result, row.expected, row.note, row.refused))
    return distinct
