"""Turns an open-ended goal into a verified patch: models plan and edit, code decides.

`run` is the front door: ``agentloop.run("goal.yaml")`` returns where the goal's checks pass and raises otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentloop.errors import (
    AgentloopError,
    AlreadySatisfied,
    ApprovalNeeded,
    BudgetExhausted,
    GoalFileError,
    Interrupted,
    Locked,
    LogDamaged,
    NoProgress,
    NoSandbox,
    NoViablePlan,
    ProviderFailed,
    Refused,
    Stopped,
    Tampered,
)
from agentloop.version import __version__

if TYPE_CHECKING:
    from agentloop.core.goal import Budget, Goal
    from agentloop.wiring.drive import Finished, Options, resume, run

_LATE = {
    "Budget": "agentloop.core.goal",
    "Goal": "agentloop.core.goal",
    "Finished": "agentloop.wiring.drive",
    "Options": "agentloop.wiring.drive",
    "resume": "agentloop.wiring.drive",
    "run": "agentloop.wiring.drive",
}
"""Name → where it lives. Loaded with the first use, so that `import agentloop` stays fast."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'agentloop' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 -- only when something is asked for

    return getattr(import_module(_LATE[name]), name)


__all__ = [
    "AgentloopError",
    "AlreadySatisfied",
    "ApprovalNeeded",
    "Budget",
    "BudgetExhausted",
    "Finished",
    "Goal",
    "GoalFileError",
    "Interrupted",
    "Locked",
    "LogDamaged",
    "NoProgress",
    "NoSandbox",
    "NoViablePlan",
    "Options",
    "ProviderFailed",
    "Refused",
    "Stopped",
    "Tampered",
    "__version__",
    "resume",
    "run",
]
