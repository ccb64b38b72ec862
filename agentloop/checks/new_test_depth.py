"""Whether new tests look at what the source change does: with faults in its lines, and file by file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, zip_longest

from agentloop.checks.expected_ids import BAD
from agentloop.checks.new_test_files import NewFiles
from agentloop.checks.pytest_run import PytestRun, run_pytest
from agentloop.core.mutants import Mutant, mutants
from agentloop.core.tree import LINK, Change, Entry, Tree
from agentloop.ports import Bench

TRIES = 5
"""Mutants that are tried, and files that are taken back alone, at most; the first that the tests notice is enough."""

FEWEST = 2
"""Mutants that must have gone unnoticed before that says anything: a single one may be the same program."""

SLOWER = 5.0
"""A mutant may take so many times longer than the tests took, and five seconds more: some never end."""


def shallow(bench: Bench, new: NewFiles, run: PytestRun, timeout: float) -> tuple[str, str]:
    """Why the new tests, which pass, don't look at the change (empty where they do), and what was seen, for the record.

    `run` is the run in which they passed. Raises nothing.
    """
    change = new.mended(bench.base, bench.tree)
    patience = min(timeout, SLOWER * run.ran.seconds + 5.0)
    if reason := _alone(bench, new, change, patience):
        return reason, reason
    made = _made(bench, change)
    for number, (path, mutant) in enumerate(made, 1):
        if _notice(bench, new, bench.tree, {path: mutant.text}, patience):
            seen = (
                f"the new tests noticed a fault put into line {mutant.line} of {path} ({mutant.old} made {mutant.new})"
            )
            return "", f"{seen}; {number - 1} faults before it went unnoticed" if number > 1 else seen
    if len(made) < FEWEST:
        return "", "" if not made else "the new tests did not notice the 1 fault that was put into the changed lines"
    path, mutant = made[0]
    example = f"such as {mutant.old} made {mutant.new} in line {mutant.line} of {path}"
    reason = f"passes with each of {len(made)} faults put into the changed lines, {example}; test what the change does"
    return reason, reason


def _alone(bench: Bench, new: NewFiles, change: Change, patience: float) -> str:
    """Why no file of the change matters by itself; empty where one does, or where there is only one."""
    paths = sorted(change, key=lambda path: (not path.endswith(".py"), path))[:TRIES]
    if len(change) < 2:
        return ""
    for path in paths:
        old, now = change[path]
        if _notice(bench, new, bench.tree.patched({path: (now, old)}), {}, patience):
            return ""
    return f"passes with each changed file taken back alone ({', '.join(paths[:3])}): it shows no fault of any of them"


def _made(bench: Bench, change: Change) -> list[tuple[str, Mutant]]:
    """Mutants of the changed Python files, of each in turn."""
    by_file = []
    for path, (old, now) in change.items():
        if path.endswith(".py") and _plain(now):
            before = _text(bench, bench.base, path) if _plain(old) else ""
            by_file.append([(path, mutant) for mutant in mutants(before, _text(bench, bench.tree, path), TRIES)])
    turns = chain.from_iterable(zip_longest(*by_file))
    return [turn for turn in turns if turn][:TRIES]


def _text(bench: Bench, tree: Tree, path: str) -> str:
    return bench.read(tree, path).decode("utf-8", "replace")


def _plain(entry: Entry | None) -> bool:
    return entry is not None and entry.mode != LINK


def _notice(bench: Bench, new: NewFiles, tree: Tree, texts: Mapping[str, str], patience: float) -> bool:
    """Whether one of the new tests does not pass on `tree` with `texts` written into it."""
    with bench.again(tree) as fresh:
        for path, text in texts.items():
            with open(os.path.join(fresh.folder, path), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        run = run_pytest(replace(fresh, base=bench.base), list(new.tests), list(new.tests), (), patience)
    if run.report is None or not run.report.started or run.report.seen.errors:
        return True
    outcomes = run.report.seen.outcomes.values()
    return not outcomes or any(outcome in BAD for outcome in outcomes)
