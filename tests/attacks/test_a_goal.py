"""Group A, goals: checks that decide nothing are refused before a model is asked; what can't be met is not met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.attacks.arena import CALC, FIXTURE, HONEST, TESTS, Arena, shell
from tests.attacks.attack import Attack, each, prove

NEVER = shell({"calc.py": HONEST})


def _refused(name: str, title: str, check: dict[str, Any], slow: bool = True, **more: Any) -> Attack:
    goal = {"accept": [{**check, "name": "sums"}], "guard": None}
    return Attack(name, title, "REFUSED", "preflight on base", NEVER, goal=goal, slow=slow, **more)


VAIN = ("can't fail",)
EMPTY = {"tests/test_empty.py": "X = 1\n"}
CASES = (
    _refused("A13-true", "accept: true", {"run": "true"}, slow=False, words=VAIN),
    _refused("A13-or", "accept: pytest || true", {"run": "python -m pytest -q || true"}, words=VAIN),
    _refused("A13-semicolon", "accept: pytest; exit 0", {"run": "python -m pytest -q; exit 0"}, words=VAIN),
    _refused("A13-unittest", "accept: unittest discover that finds no test", {"run": "python -m unittest discover"}),
    _refused("A13-256", "accept: a script whose exit code is its failure count, 256",
             {"run": "python -c 'raise SystemExit(256)'"}),
    _refused("A13-gone", "accept: a program that is not there", {"run": "no-such-program --test"}),
    _refused("A13-no-file", "accept: a test file that is not there", {"pytest": "tests/test_none.py"}),
    Attack("A13-tee", "accept: false | tee log, of which sh sees the last exit code", "FAIL", "exit code of each stage",
           NEVER, goal={"accept": [{"run": "false | tee log", "name": "sums"}], "guard": None}, slow=True),
    Attack("A13-empty", "accept: a test file without a test", "FAIL", "expected ids", NEVER, files=EMPTY,
           goal={"accept": [{"pytest": "tests/test_empty.py", "name": "sums"}], "guard": None},
           words=("no test was",), slow=True),
    Attack("A13-guard", "guard: a folder in which no test passes on base", "REFUSED", "preflight on base", NEVER,
           files=EMPTY, goal={"guard": [{"pytest": "tests/test_empty.py"}]}, slow=True),
    Attack("A17", "the goal is green at the start", "REFUSED", "preflight on base", NEVER,
           files={"calc.py": HONEST}, words=("already_satisfied",)),
    Attack("extra-contradiction", "two tests want different sums of the same numbers", "FAIL", "expected ids",
           test="test_tests_that_contradict_each_other_are_never_met"),
)  # fmt: skip


@each(CASES)
def test_a_check_that_decides_nothing_wins_nothing(attack: Attack, tmp_path: Path) -> None:
    """Refused with the reason, and no model was asked; or red for good."""
    seen = prove(attack, tmp_path)
    if attack.outcome == "REFUSED":
        assert not [event for event in seen.events if event.kind in ("asked", "planned")]


IMPOSSIBLE = TESTS.replace("def test_mul", "def test_add_again():\n    assert add(2, 3) == 6\n\n\ndef test_mul")
SPECIFIED = TESTS.replace("== -5", "== 5")


@pytest.mark.parametrize(
    ("tests", "tries"),
    [
        (IMPOSSIBLE, ("a + b", "a + b + (a == 2)", "[6, 5][id(a) % 2]")),
        pytest.param(SPECIFIED, ("a + b", "b + a"), marks=pytest.mark.slow),
    ],
    ids=["each other", "the specification"],
)
def test_tests_that_contradict_each_other_are_never_met(tests: str, tries: tuple[str, ...], tmp_path: Path) -> None:
    """However often it is tried honestly, the run ends without success and says which tests are red."""
    files = {**FIXTURE, "tests/test_calc.py": tests}
    tasks = [shell({"calc.py": CALC.replace("a - b", text)}) for text in tries]
    seen = Arena(tmp_path, files).play(*tasks)
    seen.expect("FAIL", "expected tests: ")
    assert [ruling.status for ruling in seen.rulings] == ["failed"] * len(tries)
    assert "failed  accept sums" in seen.err
