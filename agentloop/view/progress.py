"""One plain line for each event of a run that a person wants to know of."""

from __future__ import annotations

from agentloop.core import events as e
from agentloop.core.usage import dollars
from agentloop.core.visible import visible


def line(event: e.Event) -> str | None:
    """The progress line of `event`; None where it deserves none. One line, no control characters."""
    text = _line(event)
    return visible(text).replace("\n", " ") if text else None


def _line(event: e.Event) -> str | None:
    match event:
        case e.Prepared():
            roles = [check.role for check in event.checks]
            hidden = f", {roles.count('hidden')} hidden" if "hidden" in roles else ""
            return f"preflight: {roles.count('accept')} to turn green, {roles.count('guard')} to keep green{hidden}"
        case e.Checked():
            good = sum(outcome.status == "passed" for outcome in event.outcomes)
            return (
                f"goal checks{' again, in a fresh tree' if event.fresh else ''}: {good} of {len(event.outcomes)} pass"
            )
        case e.Unguarded():
            more = f" and {event.count - len(event.tests)} more" if event.count > len(event.tests) else ""
            return f"{event.check}: flaky, red on base too, not guarded any more: {', '.join(event.tests)}{more}"
        case e.Planned():
            return "plan: " + ", ".join(f"{task.id} ({task.capability})" for task in event.tasks)
        case e.PlanRefused():
            return f"plan refused: {event.reason}"
        case e.Skipped():
            return f"skipped {event.task}: {event.reason}"
        case e.Started():
            return f"task {event.task}: {event.worker} starts"
        case e.Verified():
            kept = ", change accepted" if event.accepted else ""
            return f"task {event.task}: {event.ruling.status}{kept}" + (
                f": {event.ruling.reason}" if event.ruling.reason else ""
            )
        case e.Ended():
            return None  # the summary says it better
        case _:
            return _detail(event)


def _detail(event: e.Event) -> str | None:
    match event:
        case e.Replied():
            return f"  {event.role} ({event.model}): {event.usage.tokens} tokens, {dollars(event.nano)}"
        case e.Asked(lowered=True):
            return f"  {event.role}: at most {event.max_output} tokens of answer fit what is left of the budget"
        case e.Unanswered():
            return f"  {event.role} ({event.model}): no answer: {event.reason}"
        case e.ToolRan():
            return f"  {event.tool}{'' if event.ok else ': refused or failed'}"
        case e.Noted():
            return f"  found: {event.fact.text}" if event.fact.measured else None
        case e.Judged():
            return f"  review ({event.severity}): {event.text}"
        case e.Tried():
            return f"  {event.name}: {'it runs now' if event.ran else f'could not be started: {event.reason}'}"
        case e.Contradicted():
            return f"  assumption {event.assumption} does not hold: {event.reason}"
        case e.Resumed():
            return "resumed"
        case e.Extended():
            return "limits raised"
        case _:
            return None
