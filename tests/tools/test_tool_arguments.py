"""What models send as arguments is text that nobody may trust."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.tools import TOOLS
from tests.tools.hand import Hand, hand_with


@pytest.fixture
def hand() -> Hand:
    return hand_with({"src/a.py": b"x = 1\n"})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("read", "", ["`path`", "missing"]),
        ("read", "{", ["not JSON", "one JSON object"]),
        ("read", '{"path": "src/a.py"} x', ["not JSON"]),
        ("read", "[]", ["are list, not an object"]),
        ("read", "null", ["not an object"]),
        ("read", '{"path": "src/a.py", "path": "/etc/passwd"}', ["'path'", "twice"]),
        ("read", '{"path": "src/a.py", "start": NaN}', ["NaN is no JSON number"]),
        ("read", '{"path": "src/a.py", "start": 1e999}', ["`start`", "integer"]),
        ("read", '{"path": "src/a.py", "start": ' + "9" * 5000 + "}", ["not JSON"]),
        ("read", '{"path": "src/a.py", "start": ' + "9" * 4000 + "}", ["`start`"]),
        ("read", '{"path": 7}', ["`path`: input should be a valid string; found 7"]),
        ("read", '{"path": null}', ["`path`", "string", "found null"]),
        ("read", '{"path": "src/a.py", "start": "3"}', ["`start`", "integer", 'found "3"']),
        ("read", '{"path": "src/a.py", "start": 0}', ["`start`", "greater than or equal to 1; found 0"]),
        ("read", '{"path": "src/a.py", "start": true}', ["`start`", "integer", "found true"]),
        ("read", '{"path": "src/a.py", "line": 5}', ["unknown parameter 'line'; did you mean 'lines'?"]),
        ("read", '{"path": "src/a.py", "xyz": 5}', ["unknown parameter 'xyz'; known: lines, path, start"]),
        ("run", '{"argv": "pytest -q"}', ["`argv`", "valid array", 'found "pytest -q"']),
        ("run", '{"argv": ["true", 7]}', ["`argv.1`", "valid string", "found 7"]),
        ("run", '{"argv": ["true"], "timeout": 9999}', ["`timeout`", "less than or equal to 600"]),
        ("report", '{"claim": "success"}', ["`claim`", "'done', 'replan' or 'abort'", 'found "success"']),
        ("report", '{"claim": "done", "findings": ["x"]}', ["`findings.0`", "object", 'found "x"']),
        ("report", '{"claim": "done", "findings": [{"txt": "x"}]}', ["`findings.0.text` is missing"]),
        ("read", '{"path": ' + "[" * 100_000, ["not JSON"]),
        ("read", '{"path": ' + "[" * 400 + "]" * 400 + "}", ["recursion limit"]),
        ("write", '{"path": "src/b.py", "content": "\\ud800"}', ["lone surrogate"]),
        ("write", json.dumps({"path": "src/b.py", "content": "x" * 2**20}), ["1,048,576 bytes", "less"]),
        ("wrte", "{}", ["unknown tool 'wrte'", "did you mean 'write'?"]),
        ("shell", "{}", ["unknown tool 'shell'", "read, report, run, search, suspects, write"]),
    ],
)
def test_what_is_wrong_with_a_call_is_said_in_words(hand: Hand, name: str, text: str, words: list[str]) -> None:
    """The answer names the field, what was found and what would be right; nothing is done, nothing dumped."""
    ok, answer = hand.send(name, text)
    assert not ok
    assert [word for word in words if word not in answer] == []
    assert "pydantic" not in answer
    assert len(answer) < 500
    assert hand.desk.files() == ["src/a.py"]


def test_all_mistakes_are_told_at_once(hand: Hand) -> None:
    """One turn is enough to learn of all of them, and a flood of them is cut."""
    ok, answer = hand("edit", path=1, old=2, neu="x")
    assert not ok
    assert [name for name in ("path", "old", "new", "neu") if name not in answer] == []
    _, flood = hand("run", argv=list(range(1000)))
    assert "and 992 more mistakes" in flood


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["path", "start", "lines", "glob", "limit", "old", "new", "count", "content", "claim", "findings"]
)


@given(st.sampled_from(["read", "list", "edit", "write", "report"]), st.dictionaries(NAMES, JSON) | JSON)
def test_no_arguments_whatever_raise_anything(name: str, value: Any) -> None:
    """A call comes back as words that can be written down, whatever JSON was sent."""
    hand = hand_with({})
    _, answer = hand.send(name, json.dumps(value))
    answer.encode()


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_described_by_a_closed_schema_without_references(hand: Hand, name: str) -> None:
    """Each object is closed, each property is required or has a default, and no server needs to follow a $ref."""
    spec = hand.tools[name].spec
    assert spec.name == name
    assert spec.description == " ".join((type(hand.tools[name]).__doc__ or "").split()) != ""
    assert "$" not in json.dumps(spec.parameters)

    def closed(node: dict[str, Any]) -> None:
        assert "title" not in node
        if node["type"] == "object":
            assert node["additionalProperties"] is False
            for key, held in node["properties"].items():
                assert key in node.get("required", []) or "default" in held or held.get("type") == "array"
                closed(held)
        if node["type"] == "array":
            closed(node["items"])

    closed(spec.parameters)


def test_every_answer_is_free_of_control_characters(hand: Hand) -> None:
    """Neither a result nor an error can move a terminal's cursor; how much of it a model is shown the shelf says."""

    class Loud:
        spec = hand.tools["read"].spec

        def call(self, arguments: dict[str, Any], desk: Any) -> str:
            return "\x1b[2J\r\u202e\udcff\u2066" + "x" * 50_000

    hand.tools["read"] = Loud()
    ok, answer = hand("read", path="src/a.py")
    assert ok
    assert answer.startswith("\\x1b[2J\\x0d\\u202e\\udcff\\u2066xxx")
    _, answer = hand("list\x1b")
    assert "\x1b" not in answer
