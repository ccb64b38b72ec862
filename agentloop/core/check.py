"""A check as data, and what one run of it found."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from agentloop.core.digest import fingerprint
from agentloop.core.frozen import Frozen
from agentloop.core.process import SandboxLevel
from agentloop.core.suspicion import Suspicion

Status = Literal["passed", "failed", "error", "tamper"]
"""`error`: the check could not run. Only `passed` passes."""

Strength = Literal["exit-code", "visible", "hidden", "out-of-process"]
STRENGTHS: tuple[Strength, ...] = ("exit-code", "visible", "hidden", "out-of-process")
"""How hard a verdict is to fool, weakest first."""


class CheckSpec(Frozen):
    """One deterministic test of a tree or an artifact: a kind plus parameters.

    `params` is what stands under the kind's key, as the kind's leaf in `agentloop.checks` documents it.
    `timeout` is in seconds; `repeat` runs all must pass; `expect: red` turns the answer round (for a task
    that shall reproduce a failure).
    """

    kind: str
    params: Any = None
    name: str = ""
    timeout: float = Field(300.0, gt=0, le=86_400)
    repeat: int = Field(1, ge=1, le=20)
    expect: Literal["green", "red"] = "green"

    @cached_property
    def key(self) -> str:
        """Names what is checked, whatever it is called: the cache of verdicts is keyed by it."""
        return fingerprint(self.model_dump(mode="json", exclude={"name"}))

    @property
    def reads_findings(self) -> bool:
        """Whether it looks at an artifact's findings, so that there is nothing to say before there are some."""
        return self.kind == "evidence" or (isinstance(self.params, dict) and "artifact" in self.params)

    @property
    def label(self) -> str:
        """For people and planners: the name, else ``kind: params``, cut to 48 characters."""
        text = " ".join((self.name or f"{self.kind}: {self.params}").split())
        return text if len(text) <= 48 else text[:47] + "…"


class Beside(Frozen):
    """A file that a hidden check brings along; `data` is its bytes in base64."""

    path: str
    data: str
    executable: bool = False


class HiddenSpec(CheckSpec):
    """A check that no model is ever shown. `files` are put into the tree for its own run, and no other."""

    files: tuple[Beside, ...] = ()


class CheckResult(Frozen):
    """What a check said about one tree, with what an auditor needs.

    `ids` are test ids or other countable parts that passed; `failing` those that did not, `skipped` those that
    were not run. `seen` is what code itself established on the way, each a fact of a few lines. `reason` is one line
    for people. `output` names the blob with what the check printed.
    `environment` is a fingerprint of interpreter, packages and variables. Exit code, signal and timeout are
    told apart; all three are empty for a check that starts no process. `twins` counts the tests that were seen to
    fail, as they must, with another expected value in them.
    """

    check: str
    key: str
    status: Status
    reason: str = ""
    ids: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    output: str = ""
    excerpt: str = ""
    tree: str = ""
    base: str = ""
    environment: str = ""
    level: SandboxLevel | None = None
    strength: Strength = "exit-code"
    twins: int = 0
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Only `passed` passes."""
        return self.status == "passed"


class Verdict(Frozen):
    """What checks said of one artifact, made by code. `results` are in the order of the checks.

    `suspicions` are the static screen's, of everything that the artifact's tree adds to base.
    """

    status: Status
    reason: str = ""
    results: tuple[CheckResult, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def passed(self) -> bool:
        """Only `passed` passes."""
        return self.status == "passed"


def combined(results: tuple[CheckResult, ...]) -> Verdict:
    """The verdict of several results: the worst of them, `tamper` before `error` before `failed`.

    No result at all is an `error`: nothing was checked, so nothing is known.
    """
    if not results:
        return Verdict(status="error", reason="no check was run")
    for status in ("tamper", "error", "failed"):
        bad = [r for r in results if r.status == status]
        if bad:
            return Verdict(status=bad[0].status, reason=f"{bad[0].check}: {bad[0].reason}", results=results)
    return Verdict(status="passed", results=results)
