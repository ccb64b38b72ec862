"""What a worker is shown: a projection of the state, not a dump, cut to a bound."""

from __future__ import annotations

from agentloop.core.frozen import Frozen
from agentloop.core.task import Fact, Finding


class TaskContext(Frozen):
    """What `State.context_for` gives a worker beside its task.

    `tree` is the candidate it starts from; `facts` are measured ones and those about files it names; `findings`
    are the verified findings of the tasks that it needs, by task id; `checks` say in words what will be asked
    of its result; `allow` are the globs of files it may change. No planner reasoning, judgment or other task's
    transcript is ever in it.
    """

    goal: str
    tree: str
    facts: tuple[Fact, ...] = ()
    findings: tuple[tuple[str, Finding], ...] = ()
    checks: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
