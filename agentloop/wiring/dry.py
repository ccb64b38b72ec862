"""Preflight alone, for `agentloop check`: no model, no run that stays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from agentloop.checks import KINDS
from agentloop.core.process import SandboxLevel
from agentloop.roles.preflight import examine, seconds
from agentloop.wiring.goalfile import load_goal
from agentloop.wiring.options import Options
from agentloop.wiring.prepare import describe
from agentloop.wiring.session import begin


def preflight(
    path: str,
    sandbox: SandboxLevel | None,
    dirty: bool,
    say: Callable[[str], None],
    tell: Callable[[str], None],
) -> bool:
    """Take each check of the goal at `path` on base and `tell` what it can be used for.

    True where every check is usable and one is red. Raises what `agentloop.run` raises before its first plan.
    """
    goal = load_goal(path, KINDS).model_copy(update={"models": {}})
    with tempfile.TemporaryDirectory(prefix="agentloop-check-") as runs:
        session = begin(goal, Options(runs=runs, sandbox=sandbox, dirty=dirty))
        try:
            python = session.benches.python
            say(f"sandbox {session.benches.sandbox.level}, {python.executable} ({python.version})")
            rows = examine(goal, session.verifier, session.state.base)
        finally:
            session.close()
    for row in rows:
        tell(describe(row))
    red = any(row.usable.role == "accept" and not row.refused for row in rows)
    if not red:
        tell("no accept check is red on base: nothing would show that the goal is reached")
    tell(f"one whole verification takes about {seconds(rows):.1f} s")
    return red and not any(row.refused for row in rows)
