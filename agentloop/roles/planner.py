"""The planner with a model: shown a projection, it returns a plan; code validates and probes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.digest import canonical
from agentloop.core.goal import Goal
from agentloop.core.plan_rules import MAX_CHECKS_OF_TASK, Catalogue, over_budget, plan_problems, repeated
from agentloop.core.plan_schema import PLAN, read_plan
from agentloop.core.projection import CheckNow, View, render
from agentloop.core.records import Usable
from agentloop.core.task import MAX_TASKS, Plan
from agentloop.prompts import prompt
from agentloop.roles.catalogue import Means, catalogue
from agentloop.roles.teller import Teller
from agentloop.state import State

REPAIRS = 2
"""How often a plan that is not valid is given back with its problems."""

PROBLEM, PROBLEMS = 500, 30
"""Characters of one problem, and problems, that go back at once."""

ARTIFACT_KINDS = ("new_test", "files")
"""Kinds that look at what a task will produce, so that they can't be probed before it."""


@dataclass(frozen=True)
class ModelPlanner:
    """Asks a model for the next tasks. `probe` takes a planned check on the present tree."""

    goal: Goal
    teller: Teller
    means: Means
    probe: Callable[[CheckSpec, State], CheckResult]
    max_output: int
    temperature: float | None = None

    def plan(self, state: State) -> e.Planned | None:
        """The next plan; None where there is none after REPAIRS rounds. Raises what the teller raises."""
        shown = catalogue(state, self.goal, self.means)
        messages = [Message(role="user", text=render(self._view(state, shown)))]
        for attempt in range(1, 2 + REPAIRS):
            reply = self.teller.ask(self._request(tuple(messages)))
            plan, problems = read_plan(reply.text, shown.version)
            if reply.stop not in ("end", "tool"):
                plan, problems = None, [f"the answer is not whole (it ended with {reply.stop!r}); make it shorter"]
            if plan is not None and not plan.tasks:
                return None
            if plan is not None:
                problems = plan_problems(plan, shown) + self._probed(plan, state)
            if plan is not None and not problems:
                return state.keep_plan(plan)
            self._refused(state, plan, shown, problems, attempt)
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

    def _refused(self, state: State, plan: Plan | None, shown: Catalogue, problems: list[str], attempt: int) -> None:
        blob = state.log.put(canonical(problems))
        again = tuple(text[:300] for text in repeated(plan, shown)[:3]) if plan else ()
        over = "; ".join(over_budget(plan, shown)) if plan else ""
        refused = e.PlanRefused(attempt=attempt, reason="; ".join(problems), blob=blob, repeated=again, over=over)
        if refused not in state.folded.unit:  # a resumed step meets its own refusals again
            state.record(refused)

    def _probed(self, plan: Plan, state: State) -> list[str]:
        """Problems that only show on the tree: checks that can't run, tasks with nothing red to turn green, and
        assumptions that do not hold. What is wrong by itself is not taken."""
        problems = self._doubted(plan, state)
        for task in plan.tasks[:MAX_TASKS]:
            sound = [check for check in task.acceptance[:MAX_CHECKS_OF_TASK] if self._sound(check)]
            red = len(sound) < len(task.acceptance) or not sound
            for check in sound:
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

    def _doubted(self, plan: Plan, state: State) -> list[str]:
        """Assumptions whose own check fails now: each is a measured fact at once."""
        problems = []
        for assumption in plan.assumptions:
            for check in (check for check in assumption.checks if self._sound(check)):
                if looks_at_artifact(check):
                    problems.append(
                        f"assumption {assumption.id}: {check.label} looks at an artifact; there is none yet"
                    )
                    continue
                result = self.probe(check, state)
                if result.status == "error":
                    problems.append(f"assumption {assumption.id}: check {check.label} can't run: {result.reason}")
                elif not result.passed:
                    problems.append(f"assumption {assumption.id} does not hold: {check.label}: {result.reason}")
                    doubt = e.Contradicted(assumption=assumption.id, text=assumption.text, reason=result.reason)
                    if doubt not in state.folded.unit:
                        state.record(doubt)
        return problems

    def _sound(self, check: CheckSpec) -> bool:
        """Whether `check` can be taken at all."""
        kind = self.means.kinds.get(check.kind)
        return kind is not None and not kind.problems(check.params)

    def _view(self, state: State, shown: Catalogue) -> View:
        folded = state.folded
        return View(
            goal=self.goal.goal,
            checks=[self._now(state, check) for check in folded.visible],
            catalogue=shown,
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
    listed = "\n".join(f"- {problem[:PROBLEM]}" for problem in problems[:PROBLEMS])
    listed += f"\n- and {len(problems) - PROBLEMS} more" if len(problems) > PROBLEMS else ""
    # Small models repeat themselves at temperature 0: only a changed question gets them to another answer.
    more = "You sent the refused plan again, word for word. Leave out the task that is named here. " if again else ""
    said = [Message(role="assistant", text=reply.text, raw=reply.raw)] if reply.text else []
    return [*said, Message(role="user", text=f"This plan is refused:\n{listed}\n{more}Answer with a better one.")]


def looks_at_artifact(check: CheckSpec) -> bool:
    """Whether `check` looks at what a task will produce, so that it can't be taken before."""
    return check.kind in ARTIFACT_KINDS or check.reads_findings
