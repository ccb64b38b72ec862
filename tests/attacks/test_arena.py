"""The arena works: without this a broken harness would read as "all blocked"; and the page shows what is asserted."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.arena import CALC, HONEST, Arena, by_tool, shell
from tests.attacks.outcomes import CODES, LAYERS
from tests.attacks.table import PAGE, cases, filled, modules
from tests.repos import git


def test_an_honest_fix_ends_in_success(tmp_path: Path) -> None:
    """The positive control: both roles through their SDKs, the tools, the gate, the branch."""
    arena = Arena(tmp_path)
    seen = arena.play(shell({"calc.py": HONEST}))
    seen.expect("SUCCESS")
    assert git(arena.repo, "show", f"{seen.last_line}:calc.py") == HONEST.strip()
    assert {result.strength for result in seen.results} == {"visible"}


def test_no_fix_ends_without_success(tmp_path: Path) -> None:
    """The negative control: the executor says that it is done and prints what a test run prints."""
    seen = Arena(tmp_path).play(shell({"calc.py": CALC + "\n"}, 'print("4 passed in 0.01s")'))
    seen.expect("FAIL", "2 of 4 expected tests")


def test_a_second_task_begins_where_the_refused_one_did_not(tmp_path: Path) -> None:
    """What was refused is not in the tree of the next task, which can still reach the goal."""
    seen = Arena(tmp_path).play(shell({"conftest.py": ""}), by_tool({"calc.py": HONEST}))
    assert [ruling.status for ruling in seen.rulings] == ["tamper", "passed"]
    seen.expect("SUCCESS")


def test_the_page_shows_the_cases() -> None:
    """docs/attacks.md holds the table that the cases make (`python -m tests.attacks.table docs/attacks.md`)."""
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text) == text


def test_each_case_is_a_test() -> None:
    """Names are unique, outcomes and layers are known, and a case without an act names the test that plays it."""
    known = cases()
    assert len({case.id for case in known}) == len(known)
    assert {case.outcome for case in known} <= set(CODES)
    assert {case.layer for case in known} <= set(LAYERS)
    for module in modules():
        missing = [case.id for case in module.CASES if not case.act and not hasattr(module, case.test)]
        assert missing == [], module.__name__
