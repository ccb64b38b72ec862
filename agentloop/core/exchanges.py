"""The events of a call to a model: it is about to leave, it was answered, or it was not."""

from __future__ import annotations

from typing import Literal

from agentloop.core.frozen import Frozen, Short
from agentloop.core.records import Blob
from agentloop.core.usage import Usage


class Exchange(Frozen):
    """What the three events of a model call share: who asked which model what, for which task.

    `call` numbers the calls of a run from 1; logs of before the numbers hold 0.
    """

    call: int = 0
    role: str
    task: str = ""
    model: str
    request: Blob


class Asked(Exchange):
    """A request is about to leave; its worst case is reserved until the answer is recorded.

    `max_output` is what it may answer at most, in tokens; `lowered` says that the budget made it so.
    """

    kind: Literal["asked"] = "asked"
    nano: int
    tokens: int
    max_output: int = 0
    lowered: bool = False


class Replied(Exchange):
    """A whole reply came back and is paid for, useful or not. `noticed` says what the service left out of it."""

    kind: Literal["replied"] = "replied"
    reply: Blob
    usage: Usage
    nano: int
    stop: str
    milliseconds: int = 0
    noticed: Short = ""


class Unanswered(Exchange):
    """A request got no whole reply. `nano` and `tokens` are what it may have cost all the same."""

    kind: Literal["unanswered"] = "unanswered"
    reason: Short
    nano: int = 0
    tokens: int = 0
