"""Every event fits a record of 4 KiB, whatever stands in it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core import events as e
from agentloop.core.frozen import short
from agentloop.core.records import Outcome, Ruling, TaskHead, Usable
from agentloop.core.task import Fact

BLOB, KEY, ROOM = "b" * 64, "k" * 32, 4096 - 200
WORDS = st.text(min_size=1).map(lambda text: (text * 4000)[:4000])


@given(WORDS, st.integers(20, 2000))
def test_short_text_keeps_its_bound_in_json(text: str, limit: int) -> None:
    """Control characters grow sixfold in JSON and others take four bytes: the bound is on what is written."""
    assert len(json.dumps(short(text, limit), ensure_ascii=False).encode()) <= limit + 2


@given(WORDS)
def test_the_largest_events_fit(text: str) -> None:
    """As many checks, tasks and words as are ever allowed, of any characters."""
    label = text[:48]
    outcome = Outcome(key=KEY, status="failed", failing=KEY, count=10**6, detail=BLOB)
    head = TaskHead(
        id="i" * 40, capability="c" * 40, signature=KEY, needs=("n" * 40,) * 3, assumes=("a" * 40,) * 4,
        may_break=("m" * 48,) * 3, blob=BLOB,
    )  # fmt: skip
    ruling = Ruling(
        status="failed", reason=text, before=BLOB, tree=BLOB, failure=KEY, artifact=BLOB, verdict=BLOB
    )  # fmt: skip
    largest = [
        e.Checked(tree=BLOB, outcomes=(outcome,) * 16),
        e.Planned(blob=BLOB, signature=KEY, catalogue="c" * 12, roadmap=text, tasks=(head,) * 3),
        e.Verified(
            task="t" * 40, signature=KEY, capability="c" * 40, claim="done", broken=("b" * 40,) * 8, ruling=ruling
        ),
        e.Noted(fact=Fact(key=KEY, text=text, measured=True, trigger="evidence", source=text, blob=BLOB)),
        e.Unanswered(role="planner", model="m" * 200, request=BLOB, reason=text, nano=10**15, tokens=10**9),
    ]
    assert [event.kind for event in largest if len(event.model_dump_json().encode()) > ROOM] == []
    usable = Usable.model_validate({"check": "\u20ac" * len(label), "key": KEY, "role": "accept"})
    assert len(e.Prepared(checks=(usable,) * 16, expected=BLOB).model_dump_json().encode()) <= ROOM
