"""The kind `contains`: counts in files, output and findings, and patterns made to hurt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.process import Captured, Ran
from agentloop.core.task import Finding
from tests.checks.plain_bench import Ground

TEXT = {"a.txt": "one\ntwo\none two\n"}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def take(ground: Ground, params: object, timeout: float = 30, **bench: object) -> CheckResult:
    return ground.take(CheckSpec(kind="contains", params=params, timeout=timeout), TEXT, **bench)


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"text": "one"}, "passed"),
        ({"text": "three"}, "failed"),
        ({"text": "one", "count": 2}, "passed"),
        ({"text": "one", "count": 1}, "failed"),
        ({"text": "one", "min": 3}, "failed"),
        ({"text": "one", "max": 1}, "failed"),
        ({"text": "three", "max": 0}, "passed"),
        ({"text": "one", "min": 1, "max": 2}, "passed"),
        ({"text": "o.e"}, "failed"),
        ({"pattern": "^o.e$", "count": 1}, "passed"),
        ({"pattern": "^two", "min": 2}, "failed"),
    ],
)
def test_the_number_of_occurrences_decides(ground: Ground, params: dict[str, object], status: str) -> None:
    """Text is literal, a pattern knows lines, and the reason says both numbers."""
    result = take(ground, {"file": "a.txt", **params})
    assert result.status == status, result
    assert bool(result.reason) == (status == "failed")


def test_the_output_of_a_command_is_looked_at(ground: Ground) -> None:
    """A command that fails decides by itself; one that is not found could not run."""
    assert take(ground, {"run": "cat a.txt; echo three >&2", "text": "three"}).passed
    assert take(ground, {"run": "cat a.txt; exit 4", "text": "one"}).status == "failed"
    assert take(ground, {"run": "no-such-command", "text": "one"}).status == "error"


def test_output_that_was_cut_is_not_counted(ground: Ground) -> None:
    """A count of what is left would be wrong."""
    cut = Ran(code=0, stdout=Captured(b"one", b"one", total=10**6))
    result = take(ground, {"run": "yes | head", "text": "one"}, launch=lambda argv, timeout, extra: cut)
    assert (result.status, "1000000 bytes" in result.reason) == ("error", True)


def test_an_absent_file_fails_and_absent_findings_are_an_error(ground: Ground) -> None:
    """The file is the run's to write; findings belong to an artifact."""
    assert take(ground, {"file": "b.txt", "text": "x"}).status == "failed"
    assert take(ground, {"artifact": "findings", "text": "x"}).status == "error"
    assert take(ground, {"artifact": "findings", "text": "leak"}, findings=(Finding(text="a leak"),)).passed


def test_a_pattern_that_never_ends_is_ended(ground: Ground) -> None:
    """The check's timeout holds for regular expressions, too."""
    params = {"run": "printf %060d! 0", "pattern": "(0+)+$"}
    result = take(ground, params, timeout=2)
    assert (result.status, result.timed_out) == ("failed", True)


@pytest.mark.parametrize(
    "more",
    [{}, {"text": ""}, {"text": 3}, {"text": "a", "pattern": "a"}, {"pattern": "("}, {"pattern": "a" * 3000},
     {"text": "a", "min": 0}, {"text": "a", "min": 3, "max": 2}, {"text": "a", "count": 1, "min": 1},
     {"text": "a", "count": -1}, {"text": "a", "count": True}, {"text": "a", "max": "2"}, {"text": "a", "mix": 1},
     {"text": "a", "run": "cat a"}, {"pattern": "x*"}, {"pattern": "^"}],
)  # fmt: skip
def test_problems_are_named(more: dict[str, object]) -> None:
    """What is unclear, impossible or can't fail is refused."""
    assert KINDS["contains"].problems({"file": "a.txt", **more})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            key: st.none() | st.text() | st.integers() | st.lists(st.text())
            for key in (
                "file",
                "run",
                "text",
                "pattern",
                "count",
                "min",
                "max",
                "artifact",
                "schema",
                "may",
                "must",
                "path",
                "source",
                "name",
                "args",
                "ids",
                "cmd",
                "junit",
            )
        },
    ),
    st.sampled_from(sorted(set(KINDS) - {"schema"})),
)
def test_no_parameters_break_a_kind(params: dict[str, object], kind: str) -> None:
    """Whatever stands under a kind's key is answered with words."""
    check = KINDS[kind]
    assert all(isinstance(problem, str) and problem for problem in check.problems(params))
    assert all(isinstance(path, str) for path in check.files(params))
