"""What can happen in a run: past-tense facts, frozen and closed. Only `core.fold` interprets them.

A record on disk is at most 4 KiB, so whatever can grow stands in a blob and the event holds its digest; what
the fold needs stands in the event itself. Times are milliseconds since 1970 (UTC), money is nano-dollars.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from agentloop.core.exchanges import Asked as Asked
from agentloop.core.exchanges import Exchange as Exchange
from agentloop.core.exchanges import Replied as Replied
from agentloop.core.exchanges import Unanswered as Unanswered
from agentloop.core.frozen import Frozen, Short
from agentloop.core.notices import Closed as Closed
from agentloop.core.notices import Contradicted as Contradicted
from agentloop.core.notices import Offered as Offered
from agentloop.core.notices import Tried as Tried
from agentloop.core.process import SandboxLevel
from agentloop.core.records import Blob, Limits, Outcome, Ruling, Stated, TaskHead, Usable
from agentloop.core.task import Artifact, Claim, Fact, Plan, Task

VERSION = 1
"""Of the records' meaning. It rises when a reader of this version would misread a new log."""


class Began(Frozen):
    """A run starts: what it was asked, from which base, with which means; `prices` names the table of its day."""

    kind: Literal["began"] = "began"
    version: int = VERSION
    agentloop: str
    run: str
    goal: Short
    goal_digest: str
    goal_blob: Blob
    base_commit: str
    dirty: bool = False
    base_tree: Blob
    limits: Limits
    stall: int
    planner: str
    executor: str
    level: SandboxLevel
    python: str = ""
    environment: str = ""
    prices: str = ""


class Prepared(Frozen):
    """Preflight is done: which goal checks are usable, and as what.

    `expected` is the blob with, for each check that has them, test id → outcome on base.
    """

    kind: Literal["prepared"] = "prepared"
    checks: tuple[Usable, ...]
    expected: Blob = ""


class Unguarded(Frozen):
    """Tests of a guard were red on the candidate and then red on base as well: flaky, and not guarded any more.

    `tests` are the first of them; `expected` is the blob that takes the place of `Prepared.expected`.
    """

    kind: Literal["unguarded"] = "unguarded"
    check: Short
    count: int
    tests: tuple[Short, ...]
    expected: Blob


class Checked(Frozen):
    """The goal's checks were taken on a tree. `fresh` marks the recomputation before success."""

    kind: Literal["checked"] = "checked"
    tree: Blob
    outcomes: tuple[Outcome, ...]
    fresh: bool = False


class Planned(Frozen):
    """A valid plan was made. Its tasks wait in this order."""

    kind: Literal["planned"] = "planned"
    blob: Blob
    signature: str
    catalogue: str = ""
    roadmap: Short = ""
    assumptions: tuple[Stated, ...] = ()
    tasks: tuple[TaskHead, ...]

    @classmethod
    def of(cls, plan: Plan, blob: str, tasks: tuple[TaskHead, ...]) -> Planned:
        """The record of `plan`."""
        return cls(
            blob=blob,
            signature=plan.signature,
            catalogue=plan.catalogue,
            roadmap=plan.roadmap,
            assumptions=tuple(Stated(id=known.id, text=known.text) for known in plan.assumptions),
            tasks=tasks,
        )


class PlanRefused(Frozen):
    """A planner's answer was not valid, the first, second … in a row; `blob` lists every problem found. `repeated`
    names the specifications in it that had their try; `over` says which limit it would have passed."""

    kind: Literal["plan_refused"] = "plan_refused"
    attempt: int = 1
    reason: Short
    blob: Blob
    repeated: tuple[str, ...] = ()
    over: Short = ""


class Skipped(Frozen):
    """A task was taken from the queue unrun. It cost nothing."""

    kind: Literal["skipped"] = "skipped"
    task: str
    signature: str
    reason: Short


class Started(Frozen):
    """A worker began a task on the tree `tree`."""

    kind: Literal["started"] = "started"
    task: str
    capability: str
    worker: str
    tree: Blob


class ToolRan(Frozen):
    """A worker's tool was used. `tree` is the worker's tree afterwards."""

    kind: Literal["tool_ran"] = "tool_ran"
    task: str
    call: str
    tool: str
    ok: bool
    result: Blob
    tree: Blob
    milliseconds: int = 0


class Produced(Frozen):
    """A worker handed in its artifact, yet unjudged."""

    kind: Literal["produced"] = "produced"
    task: str
    claim: Claim
    artifact: Blob
    tree: Blob = ""


class Verified(Frozen):
    """Code judged a task's artifact; this ends the task's tick. An accepted tree is the new candidate."""

    kind: Literal["verified"] = "verified"
    task: str
    signature: str
    capability: str
    claim: Claim
    broken: tuple[str, ...] = ()
    ruling: Ruling

    @classmethod
    def of(cls, task: Task, artifact: Artifact, ruling: Ruling) -> Verified:
        """The record of what became of `task`."""
        return cls(
            task=task.id,
            signature=task.signature,
            capability=task.capability,
            claim=artifact.claim,
            broken=artifact.broken,
            ruling=ruling,
        )

    @property
    def accepted(self) -> bool:
        """Whether the tree that was judged is the new candidate: the checks passed, and it is a change."""
        return self.ruling.status == "passed" and self.ruling.tree not in ("", self.ruling.before)


class Judged(Frozen):
    """A reviewer's opinion. It gates nothing."""

    kind: Literal["judged"] = "judged"
    task: str
    severity: str
    text: Short
    blob: Blob = ""


class Noted(Frozen):
    """A fact was established or claimed."""

    kind: Literal["noted"] = "noted"
    fact: Fact


class Extended(Frozen):
    """A person raised limits; these are the new ones, whole."""

    kind: Literal["extended"] = "extended"
    limits: Limits


class Approved(Frozen):
    """A person said yes to `name`."""

    kind: Literal["approved"] = "approved"
    name: str


class Resumed(Frozen):
    """The run goes on in a new process."""

    kind: Literal["resumed"] = "resumed"
    agentloop: str
    level: SandboxLevel


class Ended(Frozen):
    """The run stopped; a later `resumed` may follow."""

    kind: Literal["ended"] = "ended"
    end: str
    reason: Short
    tree: Blob


Event = (
    Began | Prepared | Unguarded | Checked | Planned | PlanRefused | Skipped | Started | Asked | Replied | Unanswered
    | ToolRan | Produced | Verified | Judged | Noted | Tried | Contradicted | Offered | Closed | Extended | Approved
    | Resumed | Ended
)  # fmt: skip

_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def parse(body: bytes | str) -> Event:
    """The event that `body` (JSON) holds. Raises pydantic.ValidationError where it is none."""
    return _ADAPTER.validate_json(body)


class Stamped(Frozen):
    """An event with its place in the log and the time it was written."""

    seq: int
    at: int
    event: Event = Field(discriminator="kind")
