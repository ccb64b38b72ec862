"""A suspicion: a line that a change added and that honest changes seldom need. It proves nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentloop.core.frozen import Frozen, Short

MOST = 40
"""Suspicions that one verdict keeps; more of them say no more."""


class Suspicion(Frozen):
    """Where (`line` counts from 1 in the new file), by which rule of `agentloop.core.suspect`, and the line itself."""

    path: Short
    line: int
    rule: str
    text: Short

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


@dataclass(frozen=True)
class Edit:
    """One changed file as text; `before` is empty where it is new."""

    path: str
    before: str
    after: str


def briefly(found: Sequence[Suspicion]) -> str:
    """All of them on one line: the first in full, then how many more there are. Empty where there are none."""
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"suspect: {found[0]}{more}"
