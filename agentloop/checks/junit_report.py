"""Reads a JUnit report as test id → outcome, and weighs it against the ids that base had."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NoReturn
from xml.parsers import expat

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from agentloop.checks.expected_ids import BAD, GOOD

MAX_BYTES, MAX_CASES, MAX_DEPTH = 32 * 1024 * 1024, 200_000, 100

_WORSE = ("skipped", "passed", "failed", "error")


def junit_outcomes(data: bytes, folder: str = "") -> dict[str, str]:
    """``classname::name`` → passed, failed, error or skipped; of two cases of one name the worse counts.

    A case that is marked as skipped shows nothing, whatever else it holds (node's `todo`). The path of `folder`, where
    the tests ran, is taken out of names: it differs from run to run. Raises ValueError where the bytes are no JUnit
    report, or one that no parser should be given.
    """
    _harmless(data)
    try:
        root = JUnitXml.fromstring(data)
    except Exception as error:  # junitparser passes on whatever its XML library raises
        raise ValueError(f"not a JUnit report: {error}") from error
    outcomes: dict[str, str] = {}
    for element in root._elem.iter("testcase"):
        case: TestCase = TestCase.fromelem(element)  # type: ignore[no-untyped-call]
        key = f"{case.classname or ''}::{case.name or ''}"
        key = key.replace(folder.rstrip("/") + "/", "") if folder else key
        outcomes[key] = max(outcomes.get(key, "skipped"), _outcome(case), key=_WORSE.index)
    return outcomes


def still_expected(
    expected: Mapping[str, str] | None, outcomes: Mapping[str, str], tree: Container[str]
) -> Mapping[str, str] | None:
    """`expected` without what stood for tests that could not be loaded on base and now are there by name.

    A runner reports a file or package that does not load as one failing case (a path; Go's ``[build failed]``), which
    is gone once it loads. So a case that was red on base and is not reported any more is held by new ones that pass:
    any, where it is the path of a file; of its own class, where it was the only one of that.
    """
    if not expected:
        return expected
    new = [key for key, outcome in outcomes.items() if outcome in GOOD and key not in expected]
    owners = [key.partition("::")[0] for key in expected]

    def loaded(key: str) -> bool:
        owner, _, name = key.partition("::")
        if key in outcomes or expected[key] not in BAD:
            return False
        if name in tree:
            return bool(new)
        return owners.count(owner) == 1 and any(fresh.startswith(f"{owner}::") for fresh in new)

    return {key: before for key, before in expected.items() if not loaded(key)}


def _harmless(data: bytes) -> None:
    """Raises ValueError for a document type (entities can make a small file endless, or read others), for what is
    huge or nested without end, and for what is no XML. The parser decodes, so no encoding hides anything."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    depth = cases = 0

    def doctype(*_: object) -> NoReturn:
        raise ValueError("it has a document type, which is refused")

    def start(name: str, _: object) -> None:
        nonlocal depth, cases
        depth, cases = depth + 1, cases + (name == "testcase")
        if depth > MAX_DEPTH or cases > MAX_CASES:
            raise ValueError(f"it has more than {MAX_CASES:,} cases or is more than {MAX_DEPTH} levels deep")

    def end(_: object) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, doctype
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(f"not a JUnit report: {error}") from None


def _outcome(case: TestCase) -> str:
    kinds = {type(result) for result in case.result}
    for kind, outcome in ((Skipped, "skipped"), (Error, "error"), (Failure, "failed")):
        if kind in kinds:
            return outcome
    return "passed"
