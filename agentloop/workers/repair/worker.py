"""The `repair` capability: one search per task, as its directive says; what was exhausted is a measured fact."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agentloop.core import events as e
from agentloop.core.check import CheckSpec
from agentloop.core.context import TaskContext
from agentloop.core.globs import matcher
from agentloop.core.goal import Goal
from agentloop.core.screen import allowed
from agentloop.core.task import Artifact, Fact, Finding, Task
from agentloop.core.tree import Tree
from agentloop.host.bench import Benches
from agentloop.roles.rules import EDITS, SCOPES, SEARCHABLE, exhausted_key
from agentloop.roles.verifier import Verifier
from agentloop.state import State
from agentloop.workers.repair.oracle import COMMAND_TEST, oracle
from agentloop.workers.repair.rank import Candidate
from agentloop.workers.repair.search import Aim, Found, search, traced
from agentloop.workers.repair.standing import kept_green, place_on

SECONDS = {1: 30.0, 2: 6.0}
"""Seconds of one search, by edits in a patch: pairs are many and seldom right, so they get less."""


@dataclass(frozen=True)
class RepairWorker:
    """Searches small program changes that turn a task's failing tests green and keep the guarded ones so."""

    state: State
    goal: Goal
    verifier: Verifier
    benches: Benches
    pulse: Callable[[str, int], None] = lambda role, tried: None

    def run(self, task: Task, context: TaskContext) -> Artifact:
        """Search once. Without a patch the artifact gives up, and the fact says which scope is exhausted."""
        self.state.begin(task, "repair (no model)")
        tree = self.state.tree(context.tree)
        scope, edits = _wanted(task.directive)
        own = [spec for kind in SEARCHABLE for spec in task.acceptance if spec.kind == kind]
        if not own:
            return self._give_up(
                task, "no pytest or run check is among the task's own, so there is nothing to search by"
            )
        check = own[0]
        failing, passing = self._tests(check, tree)
        goal = oracle(check, failing, tree)
        if not goal.targets:
            return self._give_up(task, "the check starts no Python that the search could follow")
        with self.benches.open(tree) as bench:
            if goal.test:
                Path(bench.folder, COMMAND_TEST).write_text(goal.test, encoding="utf-8")
            searched = tuple(name for name in SCOPES[: SCOPES.index(scope)] if self._was(check, tree, name, edits))
            aim = Aim(goal.targets, passing, scope, edits, searched, SECONDS[edits], slots=os.cpu_count() or 1)
            place = place_on(bench, self.benches, tree, self._allowed(task), partial(self.pulse, "repair"))
            found = search(place, aim, traced(place, aim))
        if found.plausible:
            return self._mended(task, tree, found)
        self._exhausted(check, context.tree, scope, edits, found)
        return self._give_up(task, found.why or f"{found.tried} candidates in {scope}, none passes all tests")

    def _tests(self, check: CheckSpec, tree: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids to turn green and the ids to keep green."""
        known = {usable.key: usable for usable in self.state.folded.visible}
        usable = known.get(check.key)
        result = self.state.result(usable, tree.digest) if usable else None
        if result is None:
            result = self.verifier.take(check, tree)
        keep = kept_green(self.state, self.verifier, besides=check.key).union(result.ids)
        return result.failing, tuple(sorted(keep - set(result.failing)))

    def _was(self, check: CheckSpec, tree: Tree, scope: str, edits: int) -> bool:
        """Whether a narrower scope was searched through already."""
        return exhausted_key(check.key, tree.digest, scope, edits) in self.state.folded.measured

    def _allowed(self, task: Task) -> Callable[[str], bool]:
        """Which files a patch may touch."""
        own = matcher(task.writes) if task.writes else lambda path: True
        return lambda path: own(path) and allowed(path, self.verifier.fence, True) is None

    def _mended(self, task: Task, tree: Tree, found: Found) -> Artifact:
        best = found.plausible[0]
        patched = self.benches.workspace.changed(tree, {best.path: best.text})
        notes = [f" ({note})" if note else "" for note in found.notes]
        others = [_told(candidate) + note for candidate, note in zip(found.plausible[1:], notes[1:], strict=True)]
        note = f"{found.tried} of {found.total} candidates tried in {found.seconds:.1f} s; {len(others)} runner(s)-up"
        findings = [Finding(text=f"the change that all declared tests accept: {_told(best)}{notes[0]}")]
        findings += [Finding(text=f"runner-up, accepted by the same tests: {told}") for told in others]
        artifact = Artifact(claim="done", tree=patched.digest, findings=tuple(findings), note=note)
        return self.state.produce(task, artifact)

    def _exhausted(self, check: CheckSpec, tree: str, scope: str, edits: int, found: Found) -> None:
        lines = ", ".join(f"{line.path}:{line.number}" for line in found.suspects[:5])
        how = "was searched through" if found.exhausted else "was searched until a limit was reached"
        told = found.why or f"{found.tried} candidates, none passes all tests; most suspicious: {lines or 'nothing'}"
        text = f"repair: scope {scope} with {EDITS[edits]} edit(s) {how} for {check.label}: {told}"
        for name in (scope, *found.covered):
            self._note(exhausted_key(check.key, tree, name, edits), text)

    def _note(self, key: str, text: str) -> None:
        tick = self.state.folded.executed
        fact = Fact(key=key, text=text[:600], measured=True, trigger="exhausted", source="repair", tick=tick)
        self.state.record(e.Noted(fact=fact))

    def _give_up(self, task: Task, why: str) -> Artifact:
        return self.state.produce(task, Artifact(claim="abort", note=why))


def _wanted(directive: str) -> tuple[str, int]:
    """Scope and number of edits that a directive names; everything allowed and one edit where it names none."""
    scope = re.search(r"\bscope=(\w+)", directive)
    edits = re.search(r"\bedits=(\w+)", directive)
    number = {word: count for count, word in EDITS.items()}
    found = scope.group(1) if scope and scope.group(1) in SCOPES else "allowed"
    return found, number.get(edits.group(1), 1) if edits else 1


def _told(candidate: Candidate) -> str:
    """A candidate in words."""
    parts = [
        f"{edit.template} at line {edit.line}: {edit.text.decode('utf-8', 'replace')!r}" for edit in candidate.edits
    ]
    return f"{candidate.path}: {'; '.join(parts)}"
