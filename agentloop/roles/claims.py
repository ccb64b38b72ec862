"""What an executor says becomes facts: claims, marked as such, that move nothing."""

from __future__ import annotations

from agentloop.core import events as e
from agentloop.core.digest import fingerprint
from agentloop.core.task import Artifact, Fact, Task, Trigger
from agentloop.state import State

MOST = 8
"""Findings of one artifact that become facts; all of them reach the tasks that need it."""


def tell(task: Task, artifact: Artifact, state: State) -> None:
    """Record what `artifact` claims beside being done: its findings, and why it wants another plan."""
    for finding in artifact.findings[:MOST]:
        cited = f" (it cites `{finding.command[:120]}`)" if finding.command else ""
        _claim(task, "finding", f"{finding.text[:500]}{cited}", state)
    if artifact.claim == "replan":
        _claim(
            task, "contradicted", f"task {task.id} asks for another plan: {artifact.note[:400] or 'no reason'}", state
        )
    if artifact.spent:
        _claim(task, "over budget", f"task {task.id}: {artifact.spent}", state, measured=True)


def _claim(task: Task, trigger: Trigger, text: str, state: State, measured: bool = False) -> None:
    key = fingerprint(["claimed", trigger, text])
    if any(fact.key == key for fact in state.folded.facts):  # a resumed task is judged again
        return
    tick = state.folded.executed + 1
    fact = Fact(key=key, text=text, measured=measured, trigger=trigger, source=task.id, tick=tick)
    state.record(e.Noted(fact=fact))
