"""Ending a task with a claim and findings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from agentloop.core.task import Artifact, Finding
from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted, parse
from agentloop.tools.described import described

MAX_NOTE = 4_000


class FoundArguments(Arguments):
    """One finding, with the bounds of `agentloop.core.task.Finding`."""

    text: str = Field(min_length=1, max_length=4_000)
    command: str = Field("", max_length=2_000, description="the command that shows it")
    output: str = Field("", max_length=8_000, description="what it printed, exactly; the part that matters")


class ReportArguments(Arguments):
    """The claim and what goes with it."""

    claim: Literal["done", "replan", "abort"]
    note: str = Field("", description="what you did, in a few lines")
    findings: list[FoundArguments] = Field(default_factory=list, max_length=20)
    broken: list[str] = Field(default_factory=list, max_length=8, description="ids of assumptions that are wrong")


class Report:
    """End the task: `done`, `replan` (an assumption is broken) or `abort`. Findings cite a command and its output."""

    spec = described("report", __doc__, ReportArguments)

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Take note of it; the checks decide."""
        artifact = _artifact(arguments)
        count = len(artifact.findings)
        return f"noted: {artifact.claim}, {count} finding{'' if count == 1 else 's'}; the checks decide"


def parse_report(text: str) -> Artifact:
    """The artifact (without its tree) that a report's arguments stand for. Raises DeskError."""
    return _artifact(parse(text))


def _artifact(arguments: dict[str, Any]) -> Artifact:
    found = fitted(ReportArguments, arguments)
    note = found.note if len(found.note) <= MAX_NOTE else found.note[: MAX_NOTE - 1] + "…"
    findings = tuple(Finding(text=f.text, command=f.command, output=f.output) for f in found.findings)
    return Artifact(claim=found.claim, note=note, findings=findings, broken=tuple(name[:40] for name in found.broken))
