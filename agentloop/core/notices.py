"""Events that tell a planner about its means: what could be started, what still holds, what there is to plan with."""

from __future__ import annotations

from typing import Literal

from agentloop.core.frozen import Frozen, Short


class Tried(Frozen):
    """A program was to be started: it ran, or it could not be, for `reason`. What ran is only noted where it had not
    before: that takes a standing fact back."""

    kind: Literal["tried"] = "tried"
    name: Short
    ran: bool
    reason: Short = ""
    task: str = ""


class Contradicted(Frozen):
    """Code took the check of an assumption, when it was planned or before a task that rests on it, and it fails."""

    kind: Literal["contradicted"] = "contradicted"
    assumption: str
    text: Short = ""
    reason: Short


class Offered(Frozen):
    """What planners may use from here on; `version` names it. `change` says what is new or gone since the last one."""

    kind: Literal["offered"] = "offered"
    version: str
    names: tuple[Short, ...] = ()
    change: Short = ""


class Closed(Frozen):
    """The planner's closing summary: shown to people, read by nothing."""

    kind: Literal["closed"] = "closed"
    text: Short
    blob: str = ""
