"""Ending a task with a claim and findings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from agentloop.core.chat import ToolSpec
from agentloop.core.task import Artifact, Finding
from agentloop.ports import Desk
from agentloop.tools.arguments import Arguments, fitted, parse


class FoundArguments(Arguments):
    """One finding: what, by which command, and what that printed."""

    text: str
    command: str = ""
    output: str = ""


class ReportArguments(Arguments):
    """The claim and what goes with it."""

    claim: Literal["done", "replan", "abort"]
    note: str = ""
    findings: list[FoundArguments] = Field(default_factory=list)
    broken: list[str] = Field(default_factory=list)


_TEXT = {"type": "string"}
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "claim": {"type": "string", "enum": ["done", "replan", "abort"]},
        "note": {**_TEXT, "description": "what you did, in a few lines"},
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": _TEXT, "command": _TEXT, "output": _TEXT},
                "required": ["text"],
                "additionalProperties": False,
            },
        },
        "broken": {"type": "array", "items": _TEXT, "description": "ids of assumptions that turned out wrong"},
    },
    "required": ["claim"],
    "additionalProperties": False,
}


class Report:
    """End the task: `done`, `replan` (an assumption is broken) or `abort`. Findings cite a command and its output."""

    spec = ToolSpec(
        name="report",
        description="End the task: `done`, `replan` (an assumption is broken) or `abort`. Findings cite a command "
        "and what it printed.",
        parameters=_PARAMETERS,
    )

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Take note of it; the checks decide."""
        fitted(ReportArguments, arguments)
        return "noted; the checks decide"


def parse_report(text: str) -> Artifact:
    """The artifact (without its tree) that a report's arguments stand for. Raises DeskError."""
    found = fitted(ReportArguments, parse(text))
    findings = tuple(
        Finding(text=f.text[:4000], command=f.command[:2000], output=f.output[:8000]) for f in found.findings
    )
    broken = tuple(name[:40] for name in found.broken[:8])
    return Artifact(claim=found.claim, note=found.note[:4000], findings=findings[:20], broken=broken)
