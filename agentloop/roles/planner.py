"""The planner with a model: shown a projection, it returns a plan; code validates and probes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.digest import canonical, fingerprint
from agentloop.core.globs import matcher
from agentloop.core.goal import Goal
from agentloop.core.plan_rules import Catalogue, plan_problems
from agentloop.core.plan_schema import PLAN, read_plan
from agentloop.core.projection import CheckNow, View, render
from agentloop.core.records import Usable
from agentloop.core.task import Plan
from agentloop.ports import Check
from agentloop.prompts import prompt
from agentloop.roles.teller import Teller
from agentloop.state import State

REPAIRS = 2
"""How often a plan that is not valid is given back with its problems."""

ARTIFACT_KINDS = ("new_test", "files")
"""Kinds that look at what a task will produce, so that they can't be probed before it."""


@dataclass(frozen=True)
class ModelPlanner:
    """Asks a model for the next tasks. `probe` takes a planned check on the present tree."""

    goal: Goal
    teller: Teller
    capabilities: Mapping[str, str]
    kinds: Mapping[str, Check]
    probe: Callable[[CheckSpec, State], CheckResult]
    max_output: int
    temperature: float | None = None

    def plan(self, state: State) -> e.Planned | None:
        """The next plan; None where there is none after REPAIRS rounds. Raises what the teller raises."""
        catalogue = self._catalogue(state)
        messages = [Message(role="user", text=render(self._view(state, catalogue)))]
        for attempt in range(1, 2 + REPAIRS):
            reply = self.teller.ask(self._request(tuple(messages)))
            plan, problems = read_plan(reply.text, catalogue.version)
            if reply.stop not in ("end", "tool"):
                plan, problems = None, [f"the answer is not whole (it ended with {reply.stop!r}); make it shorter"]
            if plan is not None and not plan.tasks:
                return None
            if plan is not None:
                problems = plan_problems(plan, catalogue) or self._probed(plan, state)
            if plan is not None and not problems:
                return state.keep_plan(plan)
            self._refused(state, problems, attempt)
            messages += _answered(reply, problems, again=reply.text in {message.text for message in messages})
        return None

    def _request(self, messages: tuple[Message, ...]) -> Request:
        return Request(
            system=prompt("planner"),
            messages=messages,
            output_schema=PLAN,
            max_output=self.max_output,
            temperature=self.temperature,
        )

    def _refused(self, state: State, problems: list[str], attempt: int) -> None:
        blob = state.log.put(canonical(problems))
        refused = e.PlanRefused(attempt=attempt, reason="; ".join(problems), blob=blob)
        if refused not in state.folded.unit:  # a resumed step meets its own refusals again
            state.record(refused)

    def _probed(self, plan: Plan, state: State) -> list[str]:
        """Problems that only show on the tree: checks that can't run, and tasks with nothing red to turn green."""
        problems = []
        for task in plan.tasks:
            red = False
            for check in task.acceptance:
                if looks_at_artifact(check):
                    red = True
                    continue
                result = self.probe(check, state)
                red = red or result.status == "failed"
                if result.status == "error":
                    problems.append(f"task {task.id}: check {check.label} can't run: {result.reason}")
            if not red:
                problems.append(
                    f"task {task.id}: all its checks already pass, so they can't show that it was done; "
                    "add one that is red now or looks at the artifact"
                )
        return problems

    def _catalogue(self, state: State) -> Catalogue:
        folded = state.folded
        shown = {name: (check.__doc__ or "").strip().split("\n\n")[0] for name, check in self.kinds.items()}
        ticks = folded.limits.ticks
        return Catalogue(
            version=fingerprint([dict(self.capabilities), shown])[:12],
            capabilities=self.capabilities,
            kinds=shown,
            problems=lambda kind, params: self.kinds[kind].problems(params),
            allow=matcher(self.goal.allow),
            checks=frozenset(check.check for check in folded.visible),
            unmet=frozenset(check.check for check in self._unmet(state)),
            known=frozenset(
                name
                for name, fate in folded.fates.items()
                if isinstance(fate, e.Verified) and fate.ruling.status == "passed"
            ),
            used=frozenset(folded.fates),
            failed=frozenset(signature for signature, basis in folded.failed if basis == folded.basis),
            plans=frozenset(folded.plans),
            ticks_left=None if ticks is None else ticks - folded.purse.ticks,
        )

    def _unmet(self, state: State) -> list[Usable]:
        """What a task may serve. Where only hidden checks fail, which no plan may name: any accept check."""
        return state.folded.unmet() or [check for check in state.folded.visible if check.role == "accept"]

    def _view(self, state: State, catalogue: Catalogue) -> View:
        folded = state.folded
        return View(
            goal=self.goal.goal,
            hint=self.goal.hint or "",
            checks=[self._now(state, check) for check in folded.visible],
            catalogue=catalogue,
            budget=folded.budget_then,
            allow=self.goal.allow,
            facts=folded.facts,
            roadmap=folded.roadmap,
            ticks=folded.ticks,
            judgments=[f"{judged.task}: {judged.severity}: {judged.text}" for judged in folded.judgments],
        )

    def _now(self, state: State, check: Usable) -> CheckNow:
        result = state.result(check)
        if result is None:
            return CheckNow(check.check, check.role, "not run", "", "")
        return CheckNow(check.check, check.role, result.status, result.reason, result.excerpt)


def _answered(reply: Reply, problems: list[str], again: bool) -> list[Message]:
    """A refused plan and what is wrong with it, as the next turns; `again`: word for word it was refused before."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    # Small models repeat themselves at temperature 0: only a changed question gets them to another answer.
    more = "You sent the refused plan again, word for word. Leave out the task that is named here. " if again else ""
    said = [Message(role="assistant", text=reply.text, raw=reply.raw)] if reply.text else []
    return [*said, Message(role="user", text=f"This plan is refused:\n{listed}\n{more}Answer with a better one.")]


def looks_at_artifact(check: CheckSpec) -> bool:
    """Whether `check` looks at what a task will produce, so that it can't be taken before."""
    return check.kind in ARTIFACT_KINDS or check.reads_findings
