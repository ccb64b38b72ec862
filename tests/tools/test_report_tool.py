"""Ending a task."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.task import Artifact, Finding
from agentloop.ports import DeskError
from agentloop.tools import parse_report
from tests.tools.hand import Hand, hand_with


@pytest.fixture
def hand() -> Hand:
    return hand_with({})


def test_a_report_becomes_an_artifact_without_a_tree(hand: Hand) -> None:
    """The claim and what it cites, as given."""
    found = [{"text": "rounds twice", "command": "pytest -q", "output": "1 failed"}, {"text": "see above"}]
    arguments = {"claim": "replan", "note": "no", "findings": found, "broken": ["A1"]}
    assert hand.done("report", **arguments) == "noted: replan, 2 findings; the checks decide"
    findings = (Finding(text="rounds twice", command="pytest -q", output="1 failed"), Finding(text="see above"))
    expected = Artifact(claim="replan", note="no", findings=findings, broken=("A1",))
    assert parse_report(json.dumps(arguments)) == expected
    assert parse_report('{"claim": "abort"}') == Artifact(claim="abort")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"findings": [{"text": ""}]}, "`findings.0.text`: string should have at least 1 character"),
        ({"findings": [{"text": "x", "output": "o" * 8001}]}, "`findings.0.output`: string should have at most 8000"),
        ({"findings": [{"text": "x", "command": "c" * 2001}]}, "`findings.0.command`: string should have at most 2000"),
        ({"findings": [{"text": "x"}] * 21}, "`findings`: list should have at most 20 items"),
        ({"broken": ["A"] * 9}, "`broken`: list should have at most 8 items"),
        ({"broken": "A1"}, "`broken`: input should be a valid array"),
        ({"tree": "0" * 64}, "unknown parameter 'tree'"),
    ],
)
def test_findings_are_kept_whole_or_refused(hand: Hand, more: dict[str, Any], words: str) -> None:
    """What is cited must not be cut in silence: code may look at it again."""
    assert words in hand.refused("report", claim="done", **more)
    with pytest.raises(DeskError):
        parse_report(json.dumps({"claim": "done", **more}))


def test_a_long_note_is_cut(hand: Hand) -> None:
    """It is prose that nothing rests on."""
    assert parse_report(json.dumps({"claim": "done", "note": "n" * 5000})).note == "n" * 3999 + "…"


NAMES = st.sampled_from(["claim", "note", "findings", "broken", "text"])
LEAVES = st.none() | st.integers() | st.text() | st.just("done")
REPORTS = st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner | st.lists(inner)), max_leaves=8)


@given(REPORTS)
def test_the_tool_and_the_worker_agree_on_every_report(value: Any) -> None:
    """What the tool confirms can be parsed, and what it refuses can't."""
    text = json.dumps(value)
    ok, _ = hand_with({}).send("report", text)
    try:
        parse_report(text)
    except DeskError:
        assert not ok
    else:
        assert ok
