"""Whether something is done: code decides, by running checks on trees. No model is in reach of this file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

from agentloop.core import events as e
from agentloop.core.check import CheckResult, CheckSpec, HiddenSpec, Verdict, combined
from agentloop.core.digest import fingerprint
from agentloop.core.frozen import Frozen
from agentloop.core.goal import Goal
from agentloop.core.normal import first_failing, normal, steady
from agentloop.core.records import Outcome, Ruling, Usable
from agentloop.core.screen import Screened, screen
from agentloop.core.secrets import Secrets
from agentloop.core.strength import strong_enough
from agentloop.core.suspicion import briefly
from agentloop.core.task import Artifact, Fact, Finding, Task
from agentloop.core.tree import Change, Tree, difference
from agentloop.ports import Bench, Blobs, Check
from agentloop.roles.claims import tell
from agentloop.roles.contract import fence_of, with_files
from agentloop.roles.suspecting import Suspecting
from agentloop.state import State

FINAL_RUNS = 3
"""How often each deciding check must pass on the final tree."""

OpenBench = Callable[[Tree, Mapping[str, str] | None, tuple[Finding, ...] | None], AbstractContextManager[Bench]]
"""Opens a bench on a tree, given the ids expected of it and the findings of the artifact under test."""


class Verifier:
    """Runs checks, each verdict once per tree, and judges artifacts."""

    def __init__(
        self,
        goal: Goal,
        kinds: Mapping[str, Check],
        blobs: Blobs,
        bench: OpenBench,
        secrets: Secrets | None = None,
    ) -> None:
        self.goal = goal
        self.kinds = kinds
        self._blobs = blobs
        self.bench = bench
        self._secrets = secrets or Secrets()
        self._known: dict[tuple[str, str], CheckResult] = {}
        self._deciding = {spec.key for spec in (*goal.accept, *goal.hidden)}
        self.specs: dict[str, CheckSpec] = {spec.key: spec for spec in (*goal.checks, *goal.hidden)}
        self.fence = fence_of(goal, kinds)
        self.suspecting = Suspecting(goal, blobs, self.fence.named)

    def take(
        self,
        spec: CheckSpec,
        tree: Tree,
        expected: Mapping[str, str] | None = None,
        findings: tuple[Finding, ...] | None = None,
    ) -> CheckResult:
        """Run one check on `tree` now."""
        shown = with_files(spec, tree, self._blobs.put) if isinstance(spec, HiddenSpec) else tree
        with self.bench(shown, expected, findings) as bench:
            twins = spec.key in self._deciding and tree.digest != bench.base.digest
            result = self.kinds[spec.kind].run(spec, replace(bench, twins=twins))
            if (path := bench.disturbed()) and result.status == "passed":
                reason = f"while it ran, {path!r} was changed"
                result = result.model_copy(update={"status": "tamper", "reason": reason})
            circumstances: dict[str, object] = {
                "reason": self._secrets.text(result.reason),
                "excerpt": self._secrets.text(result.excerpt),
                "base": bench.base.digest,
                "environment": bench.python.fingerprint,
                "level": bench.level,
                "tree": tree.digest,
            }
        if isinstance(spec, HiddenSpec) and result.passed and result.strength != "out-of-process":
            circumstances["strength"] = "hidden"
        result = result.model_copy(update={"check": spec.label, "key": spec.key, **circumstances})
        return strong_enough(result, spec, self.goal.strength) if spec.key in self._deciding else result

    def probe(self, spec: CheckSpec, state: State) -> CheckResult:
        """What a planned check says of the present candidate."""
        expected = {check.key: state.expected(check) for check in state.folded.usable}
        return self._known_or_taken(spec, state.candidate, expected.get(spec.key))

    def remember(self, result: CheckResult) -> None:
        """Take a result that was measured elsewhere (by preflight) as known."""
        self._known[result.tree, result.key] = result

    def verify_goal(self, state: State, fresh: bool = False) -> e.Checked:
        """The goal's checks on the candidate; `fresh` takes them all again, for the word before success.

        Hidden checks are taken only where all others pass: each answer of theirs tells whoever tries again something.
        """
        outcomes = [self._outcome(state, check, state.candidate, fresh) for check in state.folded.visible]
        if all(outcome.status == "passed" for outcome in outcomes):
            outcomes += [self._outcome(state, check, state.candidate, fresh) for check in state.folded.hidden]
        return e.Checked(tree=state.folded.candidate, outcomes=tuple(outcomes), fresh=fresh)

    def verify(self, task: Task, artifact: Artifact, state: State) -> Ruling:
        """Judge what `task` produced: what it touched first, then its own checks, then what must stay green."""
        before = state.folded.candidate
        tell(task, artifact, state)
        kept = self._keep(artifact)
        if artifact.claim == "abort":
            return Ruling(status="failed", reason=f"given up: {artifact.note}", before=before, artifact=kept)
        tree = state.tree(artifact.tree) if artifact.tree else state.candidate
        change = difference(state.base, tree)
        screened = screen(state.base, change, self.fence)
        if screened.status == "passed" and (leak := self._leak(change)):
            screened = Screened("tamper", leak)
        if screened.status != "passed":
            verdict = Verdict(status=screened.status, reason=screened.reason)
        else:
            found = self.suspecting.of(state.base, tree)
            verdict = self.suspecting.refusal(found) or self._judge(task, artifact, state, tree)
            verdict = verdict.model_copy(update={"suspicions": found})
        return Ruling(
            status=verdict.status,
            reason=verdict.reason,
            before=before,
            tree=tree.digest if tree.digest != before else "",
            failure=_failure(verdict),
            line=_line(verdict),
            artifact=kept,
            verdict=self._keep(verdict),
            suspect=briefly(verdict.suspicions),
        )

    def _leak(self, change: Change) -> str | None:
        """Where a change brings a secret in; that is no patch to deliver."""
        for path, (old, new) in change.items():
            if new is not None:
                before = self._blobs.get(old.blob) if old else b""
                if name := self._secrets.leak(before, self._blobs.get(new.blob)):
                    return f"{path!r}: it holds a secret that base does not ({name})"
        return None

    def _judge(self, task: Task, artifact: Artifact, state: State, tree: Tree) -> Verdict:
        expected = {check.key: state.expected(check) for check in state.folded.usable}
        own = tuple(
            self._known_or_taken(spec, tree, expected.get(spec.key), artifact.findings) for spec in task.acceptance
        )
        self._note(task, own, state)
        verdict = combined(own)
        if not verdict.passed or tree.digest == state.folded.candidate:
            return verdict
        return combined((*own, *self._standing(task, state, tree)))

    def _note(self, task: Task, results: Iterable[CheckResult], state: State) -> None:
        """What code saw when it ran a finding's command is measured, however the model reads it."""
        for text in (text for result in results for text in result.seen):
            key = fingerprint(["seen", *map(steady, text.splitlines())])
            if key not in state.folded.measured:
                fact = {"key": key, "text": text, "measured": True, "trigger": "finding", "source": task.id}
                state.record(e.Noted(fact=Fact.model_validate({**fact, "tick": state.folded.executed + 1})))

    def _standing(self, task: Task, state: State, tree: Tree) -> Iterable[CheckResult]:
        """The guards and the accept checks already won, as `tree` leaves them."""
        asked = {spec.key for spec in task.acceptance}
        for check in state.folded.usable:
            held = check.role == "guard" or (check.role == "accept" and state.folded.passes(check))
            if held and check.key not in asked and check.check not in task.may_break:
                result = self._known_or_taken(self.specs[check.key], tree, state.expected(check))
                yield self._without_flaky(state, check, tree, result)

    def _without_flaky(self, state: State, check: Usable, tree: Tree, result: CheckResult) -> CheckResult:
        """`result` of a guard; where tests of it are red that are red on base now as well, these are dropped and the
        guard is taken again. A guard of which nothing would be left stays red."""
        expected = state.expected(check)
        if check.role != "guard" or result.status != "failed" or not (result.failing and expected):
            return result
        flaky = set(result.failing).intersection(self.take(self.specs[check.key], state.base, expected).failing)
        if not flaky & set(expected) or flaky >= set(expected):
            return result
        state.drop(check, flaky)
        key = (tree.digest, check.key)
        self._known[key] = self.take(self.specs[check.key], tree, state.expected(check))
        return self._known[key]

    def _known_or_taken(
        self,
        spec: CheckSpec,
        tree: Tree,
        expected: Mapping[str, str] | None,
        findings: tuple[Finding, ...] | None = None,
    ) -> CheckResult:
        if spec.reads_findings:
            return self.take(spec, tree, expected, findings)
        key = (tree.digest, spec.key)
        if key not in self._known:
            self._known[key] = self.take(spec, tree, expected)
        return self._known[key]

    def _outcome(self, state: State, check: Usable, tree: Tree, fresh: bool) -> Outcome:
        known = state.folded.outcomes.get((tree.digest, check.key))
        if known and not fresh:
            return known
        spec, expected = self.specs[check.key], state.expected(check)
        result = self._at_last(check, tree, expected) if fresh else self._known_or_taken(spec, tree, expected)
        return self._short(self._without_flaky(state, check, tree, result))

    def _at_last(self, check: Usable, tree: Tree, expected: Mapping[str, str] | None) -> CheckResult:
        """The word before success: what decides is taken FINAL_RUNS times, and the first that is not green counts."""
        for _ in range(1 if check.role == "guard" else FINAL_RUNS):
            result = self.take(self.specs[check.key], tree, expected)
            if not result.passed:
                break
        return result

    def _short(self, result: CheckResult) -> Outcome:
        return Outcome.of(result, self._keep(result))

    def _keep(self, record: Frozen) -> str:
        """Keep `record` without secrets; files of trees, which keep their bytes, do not go this way."""
        return self._blobs.put(self._secrets.clean(record.model_dump_json().encode()))


def _line(verdict: Verdict) -> str:
    """The first failing line that a check of `verdict` printed."""
    lines = (first_failing(result.excerpt) for result in verdict.results if not result.passed)
    return next((line for line in lines if line), "")


def _failure(verdict: Verdict) -> str:
    """The fingerprint of what went wrong; rewording a task or its checks does not change it."""
    if verdict.passed:
        return ""
    bad = [result for result in verdict.results if not result.passed]
    parts = sorted(
        f"{r.status} {sorted(r.failing) if r.failing else normal(r.reason)} {normal(first_failing(r.excerpt))}"
        for r in bad
    )
    return fingerprint([verdict.status, parts or normal(verdict.reason)])
