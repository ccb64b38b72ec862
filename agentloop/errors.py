"""Every error that agentloop raises, drawn as one tree.

::

    AgentloopError
    ├── Refused                 2   the command, goal file, repository or start state is not usable
    │   ├── GoalFileError           with every problem found in the file
    │   └── AlreadySatisfied        no accept check is red on base
    ├── Stopped                     a run ended without success; carries ``summary``
    │   ├── BudgetExhausted    10
    │   ├── NoViablePlan       11
    │   ├── NoProgress         12
    │   ├── Tampered           13
    │   ├── ProviderFailed     14
    │   ├── ApprovalNeeded     18
    │   └── Interrupted   130, 143
    ├── NoSandbox              15
    ├── LogDamaged             16   the log does not verify, or cannot be written
    └── Locked                 17

The numbers are exit codes; ``agentloop.core.ends`` builds the one table of them from these classes.
Errors carry data in fields and have no effect when built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from agentloop.core.summary import Summary


class AgentloopError(Exception):
    """The root: whatever agentloop raises on purpose. ``code`` is the exit code it ends a command with."""

    code: ClassVar[int] = 1
    end: ClassVar[str] = "bug"
    when: ClassVar[str] = "an unexpected error of agentloop's own: the traceback is in the run folder"


class Refused(AgentloopError):
    """Nothing was started: ``what`` says what was found and where, ``remedy`` what would be right."""

    code = 2
    end = "refused"
    when = "usage, goal file, repository or start state is not usable; no model was asked"

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  {self.remedy}" if self.remedy else self.what


class TooMuch(Refused):
    """A folder holds more than a tree may: `held` says what."""

    def __init__(self, held: str) -> None:
        super().__init__(f"the folder holds {held}", "work on a part of it")
        self.held = held


@dataclass(frozen=True)
class Problem:
    """One mistake in a goal file: where it stands (both counted from 1), what it is, and the line itself."""

    line: int
    column: int
    message: str
    source: str = ""


class GoalFileError(Refused):
    """All problems of one goal file at once, in the order of their lines."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        super().__init__("\n".join(_spell(file, problem) for problem in problems))


def _spell(file: str, problem: Problem) -> str:
    place = f"{file}:{problem.line}:{problem.column}: {problem.message}"
    return f"{place}\n    {problem.source.strip()}" if problem.source.strip() else place


class AlreadySatisfied(Refused):
    """Every accept check is green on base, so there is nothing to do."""

    end = "already_satisfied"
    when = "every accept check already passes on base; no model was asked"


class Stopped(AgentloopError):
    """A run ended without success. ``reason`` is one line; ``summary`` is the whole account of the run."""

    def __init__(self, reason: str, summary: Summary) -> None:
        super().__init__(reason)
        self.reason = reason
        self.summary = summary


class BudgetExhausted(Stopped):
    """The next step's worst case does not fit what is left of a limit."""

    code = 10
    end = "BudgetExhausted"
    when = "the next step's worst case does not fit what is left (usd, tokens, ticks, minutes, tool calls)"


class NoViablePlan(Stopped):
    """The planner has nothing valid left to try, or its plans led nowhere too often."""

    code = 11
    end = "NoViablePlan"
    when = "the planner has no valid plan, or too many plans in a row changed nothing and found nothing"


class NoProgress(Stopped):
    """The state did not move for a number of ticks, or goes round in a circle."""

    code = 12
    end = "NoProgress"
    when = "the state hash did not change for `stall` ticks, or recurs in a circle"


class Tampered(Stopped):
    """The run is not satisfied and its last artifact tried to change what it must not."""

    code = 13
    end = "tampered"
    when = "not satisfied, and the last change touched what is protected"


class ProviderFailed(Stopped):
    """A model's service failed beyond its retries."""

    code = 14
    end = "provider"
    when = "a model's service failed beyond retries and fallbacks; the run can be resumed"


class ApprovalNeeded(Stopped):
    """A person has to say yes to something before the run may go on."""

    code = 18
    end = "approval"
    when = "a person must decide; the run can be resumed"


class Interrupted(Stopped):
    """SIGINT or SIGTERM came; ``signal`` is its number, the exit code is 128 plus that."""

    code = 130
    end = "interrupted"
    when = "stopped by SIGINT (130) or SIGTERM (143); the run can be resumed"

    def __init__(self, reason: str, summary: Summary, signal: int = 2) -> None:
        super().__init__(reason, summary)
        self.signal = signal


class NoSandbox(AgentloopError):
    """The isolation that is required is not to be had on this machine; ``remedy`` says what would help."""

    code = 15
    end = "no sandbox"
    when = "the required isolation is not to be had on this machine"

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  {self.remedy}"


class LogDamaged(AgentloopError):
    """The log at ``path`` does not verify from byte ``offset`` on, or could not be written."""

    code = 16
    end = "log damaged"
    when = "the log does not verify, or cannot be written"

    def __init__(self, path: str, offset: int, what: str) -> None:
        super().__init__(path, offset, what)
        self.path = path
        self.offset = offset
        self.what = what

    def __str__(self) -> str:
        return f"{self.path}: byte {self.offset}: {self.what}"


class Terminated(BaseException):
    """SIGTERM arrived; raised where a KeyboardInterrupt would be. Not one of them: typer ends those with 130."""


class Locked(AgentloopError):
    """Another process, ``pid`` where it is known, holds the run in ``folder``."""

    code = 17
    end = "locked"
    when = "another process holds this run"

    def __init__(self, folder: str, pid: int | None) -> None:
        super().__init__(folder, pid)
        self.folder = folder
        self.pid = pid

    def __str__(self) -> str:
        holder = f"process {self.pid}" if self.pid else "another process"
        return f"{self.folder} is held by {holder}; wait for it to end, or stop it"
