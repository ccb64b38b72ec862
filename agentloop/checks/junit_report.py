"""Reads a JUnit report as test id → outcome."""

from __future__ import annotations

import re

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

_WORSE = ("skipped", "passed", "failed", "error")


def junit_outcomes(data: bytes) -> dict[str, str]:
    """``classname::name`` → passed, failed, error or skipped; of two cases of one name the worse counts.

    Raises ValueError where the bytes are no JUnit report. A document type is refused: entities can make a small
    file endless, or read others.
    """
    if re.search(rb"<!(DOCTYPE|ENTITY)", data, re.IGNORECASE):
        raise ValueError("it has a document type, which is refused")
    try:
        root = JUnitXml.fromstring(data)
    except Exception as error:  # junitparser passes on whatever its XML library raises
        raise ValueError(f"not a JUnit report: {error}") from error
    outcomes: dict[str, str] = {}
    for element in root._elem.iter("testcase"):
        case: TestCase = TestCase.fromelem(element)  # type: ignore[no-untyped-call]
        key = f"{case.classname or ''}::{case.name or ''}"
        outcomes[key] = max(outcomes.get(key, "skipped"), _outcome(case), key=_WORSE.index)
    return outcomes


def _outcome(case: TestCase) -> str:
    kinds = {type(result) for result in case.result}
    for kind, outcome in ((Error, "error"), (Failure, "failed"), (Skipped, "skipped")):
        if kind in kinds:
            return outcome
    return "passed"
