"""The goal: the user's contract, as it stands after the goal file was read."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, get_args

from pydantic import Field

from agentloop.core.check import CheckSpec, HiddenSpec, Strength
from agentloop.core.digest import fingerprint
from agentloop.core.frozen import Frozen
from agentloop.core.process import SandboxLevel
from agentloop.core.usage import Price

ROLES = ("planner", "executor", "reviewer", "embedder")
Edits = Literal["auto", "tools", "blocks"]
EDITS: tuple[Edits, ...] = get_args(Edits)
MAX_CHECKS = 16
"""Of one goal: accept, guard and hidden together, so that a state fits one log record."""

DEFAULT_COMMANDS = (
    "python *", "python3 *", "pytest *", "ruff *", "mypy *", "node *", "npm test *", "go *", "cargo *", "make *",
    "ls *", "cat *", "head *", "tail *", "grep *", "rg *", "find *", "wc *", "sort *", "uniq *", "cut *", "diff *",
    "sed *", "awk *", "jq *", "git log *", "git show *", "git diff *", "git status *", "git blame *", "echo *",
    "true", "pwd",
)  # fmt: skip
"""What a worker's `run` tool may start, matched against the argument list word by word."""


class Evidence(Frozen):
    """A fact to start from: exactly one of `text`, `file` (beside the goal file) and `run` (once, on base)."""

    text: str | None = None
    file: str | None = None
    run: str | None = None


class Budget(Frozen):
    """Limits of one run; None is no limit. `tokens` counts input and output of every model call."""

    usd: float | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0)
    ticks: int | None = Field(20, ge=1)
    minutes: float | None = Field(60.0, gt=0)
    replans: int = Field(5, ge=1)
    tool_calls: int | None = Field(400, ge=0)


class ModelSpec(Frozen):
    """One model: `provider:model` and how to reach it. `key_env` names the variable that holds the key.

    `argv` is the program behind a `command` model. `edits` says how an executor changes files: by tool calls, by
    whole fenced blocks, or (`auto`) by whichever of the two it uses. `window` is in tokens, None where unknown.
    """

    model: str
    argv: tuple[str, ...] | None = None
    edits: Edits = "auto"
    stream: bool = True
    window: int | None = Field(None, ge=1024)
    base_url: str | None = None
    key_env: str | None = None
    max_output: int = Field(8192, ge=16)
    temperature: float | None = Field(None, ge=0, le=2)
    price: Price | None = None
    timeout: float = Field(120.0, gt=0)

    @property
    def provider(self) -> str:
        """The part before the first colon."""
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        """The part after the first colon, as the provider knows it."""
        return self.model.partition(":")[2]


class WorkerSpec(Frozen):
    """One capability: the pattern that serves it, with a model role, tools and limits. `session` says which turns of
    a conversation the model is shown (`agentloop.core.session`)."""

    pattern: str
    model: str = "executor"
    tools: tuple[str, ...] | None = None
    turns: int = Field(10, ge=1, le=50)
    session: str = "full"
    options: dict[str, Any] = Field(default_factory=dict)


class Goal(Frozen):
    """Everything the user said. Paths are relative to the goal file; `home` is the folder it lies in.

    Exactly one of `repo` and `copy_from` is set. `models` maps a role to its model and fallbacks; without it
    the run uses the model-free pair. `hidden` holds all that its checks need; `hidden_from` is the file they were read
    from, empty where they stood in the goal file. The table of keys is section 3 of docs/design.md.
    """

    goal: str = Field(min_length=1, max_length=20_000)
    home: str = "."
    repo: str | None = "."
    copy_from: str | None = None
    accept: tuple[CheckSpec, ...] = Field(min_length=1)
    guard: tuple[CheckSpec, ...] = ()
    hidden: tuple[HiddenSpec, ...] = ()
    hidden_from: str = ""
    allow: tuple[str, ...] = ("**",)
    protect: tuple[str, ...] = ()
    unlock: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    hint: str | None = None
    python: str | None = None
    budget: Budget = Budget()
    stall: int = Field(3, ge=1)
    models: dict[str, tuple[ModelSpec, ...]] = Field(default_factory=dict)
    workers: dict[str, WorkerSpec] = Field(default_factory=dict)
    review: Literal["planner", "final", "off"] = "planner"
    sandbox: SandboxLevel | None = None
    strength: Strength | None = None
    suspect: Literal["warn", "fail"] = "warn"
    commands: tuple[str, ...] = DEFAULT_COMMANDS
    secrets: tuple[str, ...] = ()
    summary: Literal["off", "model"] = "off"

    @cached_property
    def digest(self) -> str:
        """Names the contract: a resumed run must find the same one. Where the file lies does not matter."""
        return fingerprint(self.model_dump(mode="json", exclude={"home", "hidden_from", "summary"}))

    @property
    def checks(self) -> tuple[CheckSpec, ...]:
        """The goal's checks that anyone may see, accept first."""
        return self.accept + self.guard
