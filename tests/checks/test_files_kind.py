"""The kind `files`: rules about the change."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from tests.checks.plain_bench import Ground

BASE = {"src/a.py": "1", "docs/a.md": "1", "b.py": "1"}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def take(ground: Ground, params: object, *changed: str) -> CheckResult:
    return ground.take(CheckSpec(kind="files", params=params), BASE, dict.fromkeys(changed, "2"))


@pytest.mark.parametrize(
    ("params", "changed", "status", "word"),
    [
        ({"may": ["src/**"]}, ("src/a.py", "src/new.py"), "passed", ""),
        ({"may": ["src/**"]}, ("src/a.py", "b.py"), "failed", "b.py matches no glob of may"),
        ({"must": ["CHANGES", "src/"]}, ("src/a.py",), "failed", "must: CHANGES"),
        ({"must": ["CHANGES", "src/"]}, ("src/a.py", "CHANGES"), "passed", ""),
        ({"must_not": ["*.md"]}, ("docs/a.md",), "failed", "docs/a.md is changed, against must_not: *.md"),
        ({"must_not": ["*.md"]}, ("b.py",), "passed", ""),
        ({"must_not": ["*.md"], "may": ["**"]}, (), "passed", ""),
    ],
)
def test_each_rule_holds(ground: Ground, params: object, changed: tuple[str, ...], status: str, word: str) -> None:
    """The reason names the path and the rule."""
    result = take(ground, params, *changed)
    assert (result.status, word in result.reason) == (status, True), result


def test_a_file_that_is_taken_away_is_a_change(ground: Ground) -> None:
    """Deleting counts like writing."""
    check = CheckSpec(kind="files", params={"must_not": ["docs/"]})
    assert ground.take(check, BASE, {"docs/a.md": None}).failing == ("docs/a.md",)


def test_problems_are_named(ground: Ground) -> None:
    """Empty rules, unknown ones and ones that allow everything; a check with problems is an error when run."""
    for wrong in (None, {}, [], {"may": []}, {"may": "src"}, {"mustnt": ["a"]}, {"may": ["**"]}, {"must": ["!a"]},
                  {"must": [3]}, {"must_not": [""]}):  # fmt: skip
        assert KINDS["files"].problems(wrong), wrong
    assert take(ground, {"may": []}).status == "error"
