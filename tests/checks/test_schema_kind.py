"""The kind `schema`: what fits, what does not, what can't be judged, and inputs made to hurt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckSpec
from agentloop.core.task import Finding
from tests.checks.plain_bench import Ground

PERSON = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


def spec(rule: object = PERSON, file: str = "out.json", **more: object) -> CheckSpec:
    return CheckSpec(kind="schema", params={"file": file, "schema": rule}, **more)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.mark.parametrize(
    ("text", "status", "word"),
    [
        ('{"name": "Ada"}', "passed", ""),
        ('{"name": 3}', "failed", "$.name"),
        ("{}", "failed", "'name' is a required property"),
        ("{", "failed", "not JSON"),
        ('{"name": "a", "name": "b"}', "failed", "occurs twice"),
        ('{"name": "a", "x": NaN}', "failed", "NaN"),
        ('{"name": "a", "x": -Infinity}', "failed", "Infinity"),
        ('{"name": "a", "x": 1e999}', "failed", "too large"),
        ('{"name": "a", "x": ' + "9" * 1001 + "}", "failed", "1001 digits"),
        ("[" * 100_000, "failed", "recursion"),
        (b"\xff\xfe", "failed", "not UTF-8"),
        ("->/etc/passwd", "failed", "is a link"),
    ],
)
def test_json_is_read_strictly(ground: Ground, text: str, status: str, word: str) -> None:
    """A document passes if it is JSON in the narrow sense and fits."""
    result = ground.take(spec(), {"out.json": text})
    assert (result.status, word in result.reason) == (status, True), result


@pytest.mark.parametrize(
    ("text", "status", "word"),
    [
        ("name: Ada\nborn: 1815-12-10\n", "passed", ""),
        ("name: &a x\nother: *a\n", "failed", "line 2: aliases are refused"),
        ("name: a\nname: b\n", "failed", "occurs twice"),
        ("name: a\n1: b\n", "failed", "not text"),
        ("name: !!python/object/apply:os.system [x]\n", "failed", "not YAML"),
        ("name: a\nx: .nan\n", "failed", "nan"),
        ("name: !!binary aGk=\n", "failed", "bytes"),
        ("a: [", "failed", "not YAML"),
    ],
)
def test_yaml_is_read_strictly(ground: Ground, text: str, status: str, word: str) -> None:
    """YAML may hold what JSON could hold, without aliases and repeated keys."""
    result = ground.take(spec(file="out.yaml"), {"out.yaml": text})
    assert (result.status, word in result.reason) == (status, True), result


def test_the_schema_may_be_a_file_of_the_tree(ground: Ground) -> None:
    """It is protected then; one that is missing or wrong is an error, an absent document a failure."""
    rule = {"schemas/p.json": json.dumps(PERSON), "out.json": '{"name": "Ada"}'}
    assert ground.take(spec("schemas/p.json"), rule).passed
    assert KINDS["schema"].files(spec("./schemas/p.json").params) == ["schemas/p.json"]
    assert ground.take(spec("schemas/q.json"), rule).status == "error"
    assert ground.take(spec(), {}).status == "failed"
    for wrong in ("{", "{}", "true", '{"type": "strnig"}', '{"$ref": "file:///etc/passwd"}', '{"$ref": "#/none"}',
                  '{"pattern": "("}', "3"):  # fmt: skip
        result = ground.take(spec("p.json"), {"p.json": wrong, "out.json": '"x"'})
        assert (result.status, "schema" in result.reason) == ("error", True), (wrong, result)


def test_findings_can_be_looked_at(ground: Ground) -> None:
    """An artifact's findings are a list of maps; without an artifact the check can't run."""
    rule = {"type": "array", "minItems": 1, "items": {"required": ["command"]}}
    check = CheckSpec(kind="schema", params={"artifact": "findings", "schema": rule})
    assert ground.take(check, {}, findings=(Finding(text="x"),)).status == "passed"
    assert ground.take(check, {}, findings=()).status == "failed"
    assert ground.take(check, {}).status == "error"


def test_a_pattern_that_never_ends_is_ended(ground: Ground) -> None:
    """The check's timeout holds for regular expressions, too."""
    rule = {"type": "string", "pattern": "^(a+)+$"}
    result = ground.take(spec(rule, timeout=2), {"out.json": json.dumps("a" * 60 + "!")})
    assert (result.status, result.timed_out) == ("failed", True)


@pytest.mark.parametrize(
    "rule",
    [{}, True, {"title": "x"}, {"$ref": "https://example.org/x.json"}, {"properties": {"a": {"$ref": "a.json"}}},
     {"type": "nothing"}, 3, None, ["a"], "", "/etc/x.json", {"minimum": {1, 2}}],
)  # fmt: skip
def test_a_schema_that_cannot_decide_is_a_problem(rule: object) -> None:
    """It accepts everything, looks elsewhere, or is none."""
    assert KINDS["schema"].problems({"file": "a.json", "schema": rule})


def test_other_problems_are_named() -> None:
    """The subject is one, and keys are known."""
    well = {"file": "a", "schema": PERSON}
    unwell = ({**well, "min": 1}, {**well, "artifact": "findings"}, {"schema": PERSON}, {"file": "a"}, None, "a.json")
    for wrong in (*unwell, {"artifact": "tree", "schema": PERSON}):
        assert KINDS["schema"].problems(wrong), wrong
    assert not KINDS["schema"].problems({"file": "a", "schema": {"$defs": {"x": PERSON}, "$ref": "#/$defs/x"}})
