"""The kind `new_test`: a test of the run's own that shows the fault."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from tests.checks.plain_bench import Ground

BASE = {
    "shop.py": "def total(items):\n    return sum(items) + 1\n",
    "other.py": "def twice(n):\n    return 2 * n\n",
    "tests/test_old.py": "from other import twice\n\ndef test_old():\n    assert twice(2) == 4\n",
}
FIX = {"shop.py": "def total(items):\n    return sum(items)\n"}
NEW = {"tests/test_new_total.py": "from shop import total\n\ndef test_total():\n    assert total([1]) == 1\n"}
IDLE = {"tests/test_new_total.py": NEW["tests/test_new_total.py"] + "\ndef test_idle():\n    assert True\n"}
NAME = "tests/test_new_total.py"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def take(
    ground: Ground, change: dict[str, str | None], params: object = "tests/test_new_*.py", **more: object
) -> CheckResult:
    return ground.take(CheckSpec(kind="new_test", params=params, timeout=60, **more), BASE, change)


def test_red_on_base_and_green_on_the_tree_passes(ground: Ground) -> None:
    """With and without naming the source."""
    for params in ("tests/test_new_*.py", {"path": NAME, "source": ["*.py", "!tests/**"]}):
        result = take(ground, FIX | NEW, params)
        assert (result.status, result.ids) == ("passed", (f"{NAME}::test_total",)), result


FAULTS = {
    "not written": (FIX, "not written: no new file"),
    "on base already": ({**FIX, "tests/test_old.py": NEW[NAME]}, "not written"),
    "passes on base": (FIX | IDLE, "passes on base: it shows no fault: tests/test_new_total.py::test_idle"),
    "no fix": (NEW, "does not pass"),
    "empty": ({**FIX, NAME: "x = 1\n"}, "no test was executed"),
    "skipped": (
        {**FIX, NAME: "import pytest\n" + NEW[NAME].replace("def test", "@pytest.mark.skip\ndef test")},
        "not pass",
    ),
    "broken": ({**FIX, NAME: "import none_such\n"}, "can't be collected"),
    "a conftest": ({**FIX, "tests/conftest.py": "def test_x(): assert 0\n"}, "not written"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_new_test_that_shows_nothing_fails(ground: Ground, name: str) -> None:
    """The reason says what is missing."""
    change, word = FAULTS[name]
    result = take(ground, dict(change), "tests/conftest.py" if name == "a conftest" else "tests/test_[no]*.py")
    assert (result.status, word in result.reason) == ("failed", True), result


def test_the_source_change_is_taken_back_alone(ground: Ground) -> None:
    """A test that is red on base only because of something beside the source does not show the source's fault."""
    change = {**FIX, NAME: "from helper import ok\n\ndef test_total():\n    assert ok\n", "helper.py": "ok = True\n"}
    result = take(ground, change, {"path": NAME, "source": ["shop.py"]})
    assert (result.status, "source change taken back" in result.reason) == ("failed", True), result


def test_files_beside_the_test_go_with_it(ground: Ground) -> None:
    """Data that is new in the test's folder is there on base, too, so its absence proves nothing."""
    text = "import pathlib\n\ndef test_data():\n    assert (pathlib.Path(__file__).parent / 'data.txt').exists()\n"
    result = take(ground, {**FIX, NAME: text, "tests/data.txt": "x"})
    assert (result.status, "passes on base" in result.reason) == ("failed", True), result


def test_a_reproduction_fails_now_and_alone(ground: Ground) -> None:
    """`expect: red`: the new test fails by itself, is not merely broken, and nothing else was turned red."""
    assert take(ground, dict(NEW), expect="red").status == "passed"
    wrong = {
        "nothing written": {},
        "green": FIX | NEW,
        "one is green": IDLE,
        "broken": {NAME: "import none_such\n"},
        "source broken too": {**NEW, "other.py": "def twice(n):\n    return 3 * n\n"},
        "only by the source": {
            NAME: "from other import twice\n\ndef test_x():\n    assert twice(1) == 2\n",
            "other.py": "def twice(n):\n    return 1 if n == 1 else 2 * n\n",
        },
    }
    for name, change in wrong.items():
        result = take(ground, change, expect="red")
        assert result.status == "failed", (name, result)


def test_an_old_failure_beside_the_reproduction_is_not_its_fault(ground: Ground) -> None:
    """What was red on base may stay red."""
    base = {**BASE, "tests/test_red.py": "def test_red():\n    assert False\n"}
    check = CheckSpec(kind="new_test", params="tests/test_new_*.py", expect="red", timeout=60)
    assert ground.take(check, base, NEW).status == "passed"


def test_a_disarmed_runner_is_tamper(ground: Ground) -> None:
    """A source that makes all tests pass does not make this one pass."""
    change = {
        "shop.py": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n" + BASE["shop.py"]
    }
    assert take(ground, change | NEW).status == "tamper"


def test_problems_are_named() -> None:
    """A glob in the tree is wanted."""
    for wrong in (None, "", "/abs/test.py", "../test.py", {}, {"path": ["a"]}, {"path": "a.py", "source": "src"},
                  {"path": "a.py", "sauce": []}):  # fmt: skip
        assert KINDS["new_test"].problems(wrong), wrong
    assert not KINDS["new_test"].problems({"path": "tests/test_*.py", "source": ["src/**"]})
    assert KINDS["new_test"].files("tests/test_new.py") == []


PRICED = {
    "shop.py": "RATE = 2\n\ndef total(items):\n    if not items:\n        return 0\n    return sum(items) * RATE\n",
}
LOOKS = {
    "only that it is there": (
        "import shop\n\ndef test_rate():\n    assert hasattr(shop, 'RATE')\n",
        "each of 5 faults put into",
    ),
    "at what it does": ("import shop\n\ndef test_rate():\n    assert shop.total([shop.RATE - 1]) == 2\n", ""),
}


@pytest.mark.parametrize("name", LOOKS)
def test_faults_in_the_changed_lines_must_be_noticed(ground: Ground, name: str) -> None:
    """A test that only looks whether a name is there is red on base, and shows nothing all the same."""
    text, word = LOOKS[name]
    result = take(ground, {**PRICED, NAME: text})
    assert (result.status, word in result.reason) == ("failed" if word else "passed", True), result
    assert bool(result.seen) is not bool(word)


def test_a_single_fault_that_goes_unnoticed_says_nothing(ground: Ground) -> None:
    """It may be the same program; that is recorded, and no more."""
    text = "import shop\n\ndef test_limit():\n    assert shop.LIMIT < 99\n"
    result = take(ground, {"shop.py": BASE["shop.py"] + "LIMIT = 7\n", NAME: text})
    assert (result.status, result.seen) == (
        "passed",
        ("the new tests did not notice the 1 fault that was put into the changed lines",),
    ), result


def test_one_of_the_changed_files_must_matter_alone(ground: Ground) -> None:
    """A test that is green while either of two files is changed is about neither."""
    flags = {"a.txt": "x", "b.txt": "x"}
    text = "import os\n\ndef test_flag():\n    assert os.path.exists('a.txt') or os.path.exists('b.txt')\n"
    result = take(ground, {**flags, NAME: text})
    assert (result.status, "each changed file taken back alone" in result.reason) == ("failed", True), result
    assert take(ground, {**flags, NAME: text.replace(" or ", " and ")}).status == "passed"


@pytest.mark.slow
def test_a_fault_that_never_ends_is_noticed_in_time(ground: Ground) -> None:
    """It is cut off long before the check's own timeout."""
    code = "def total(items):\n    n = len(items)\n    while n > 0:\n        n -= 1\n    return sum(items)\n"
    begun = time.monotonic()
    result = take(ground, {"shop.py": code, NAME: NEW[NAME].replace("[1]) == 1", "[]) == 0")})
    assert (result.status, result.seen) == (
        "passed",
        ("the new tests noticed a fault put into line 3 of shop.py (n > 0 made (n <= 0))",),
    )
    assert time.monotonic() - begun < 40
