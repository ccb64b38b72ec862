"""The kinds of checks: one leaf a file, one line a leaf. None of them knows a model."""

from __future__ import annotations

from agentloop.checks.contains import Contains
from agentloop.checks.evidence import Evidence
from agentloop.checks.files import Files
from agentloop.checks.io import Io
from agentloop.checks.new_test import NewTest
from agentloop.checks.pytest_ids import Pytest
from agentloop.checks.run import Run
from agentloop.checks.schema import Schema
from agentloop.checks.script import Script
from agentloop.checks.taking import Taken
from agentloop.ports import Check

KINDS: dict[str, Check] = {
    "contains": Taken(Contains()),
    "evidence": Taken(Evidence()),
    "files": Taken(Files()),
    "io": Taken(Io()),
    "new_test": Taken(NewTest(), reads_expect=True),
    "pytest": Taken(Pytest()),
    "run": Taken(Run()),
    "schema": Taken(Schema()),
    "script": Taken(Script()),
}
"""Kind → check, with `repeat` and `expect` applied."""
