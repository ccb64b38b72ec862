"""The parts that events are made of, cut to what the fold needs; whole values stand in blobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from agentloop.core.check import CheckResult, Status
from agentloop.core.digest import fingerprint
from agentloop.core.frozen import Frozen, Short, short
from agentloop.core.task import Task

BLOB = r"^([0-9a-f]{64})?$"
Blob = Annotated[str, Field(pattern=BLOB)]


class Limits(Frozen):
    """A budget in the units of the log. None is no limit."""

    nano: int | None = None
    tokens: int | None = None
    ticks: int | None = None
    milliseconds: int | None = None
    replans: int = 5
    tool_calls: int | None = None


class Outcome(Frozen):
    """A check's result cut to what the fold needs; `detail` is the blob with the whole CheckResult."""

    key: str
    status: Status
    failing: str = ""
    count: int = 0
    detail: Blob = ""

    @classmethod
    def of(cls, result: CheckResult, detail: str = "") -> Outcome:
        """The short form of `result`."""
        failing = fingerprint(sorted(result.failing)) if result.failing else ""
        count = len(result.failing)
        return cls(key=result.key, status=result.status, failing=failing, count=count, detail=detail)


class Usable(Frozen):
    """A goal check as preflight left it."""

    check: str
    key: str
    role: Literal["accept", "guard", "hidden", "unused"]


class Stated(Frozen):
    """An assumption of a plan, cut to what a fact says of it."""

    id: str
    text: Annotated[str, AfterValidator(lambda text: short(text, 200))]


class TaskHead(Frozen):
    """A planned task cut to what the fold needs; `blob` is the whole Task."""

    id: str
    capability: str
    signature: str
    needs: tuple[str, ...]
    assumes: tuple[str, ...]
    may_break: tuple[str, ...]
    blob: Blob

    @classmethod
    def of(cls, task: Task, blob: str) -> TaskHead:
        """The short form of `task`, which is kept whole in `blob`."""
        short = task.model_dump(include={"id", "capability", "needs", "assumes", "may_break"})
        return cls(**short, signature=task.signature, blob=blob)


class Ruling(Frozen):
    """A verdict with where its parts are kept.

    `before` is the tree that it was measured against, `tree` the one that was judged (empty where the artifact
    changed nothing), `failure` the fingerprint of what went wrong, free of wording, paths and numbers. `suspect` is
    what the static screen found, on one line; the verdict holds all of it. `line` is the first failing line that a
    check printed.
    """

    status: Status
    reason: Short
    before: Blob
    tree: Blob = ""
    failure: str = ""
    artifact: Blob = ""
    verdict: Blob = ""
    suspect: Short = ""
    line: Short = ""


@dataclass(frozen=True)
class Tick:
    """One line of the run's history: a task that was run or skipped, and what became of it."""

    number: int
    task: str
    capability: str
    status: str
    reason: str
    suspect: str = ""
