"""The twin: the same tests with other expected values have to fail, and code that passes them too is caught."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentloop.checks.twin_text import twin_of
from agentloop.core.check import CheckSpec
from tests.checks.plain_bench import Ground
from tests.repos import QUICK

TESTS = """\
import unittest

import pytest
from calc import add, halves, scale


def test_add():
    assert add(2, 3) == 5
    assert add(-2, -3) == -5


def test_named():
    total = add(1, 1)
    assert total == 2


def test_near(): assert halves(1) == pytest.approx(0.5)


def test_caught():
    with pytest.raises(ZeroDivisionError):
        scale(1, 0)


@pytest.mark.parametrize("n", [1, 2])
def test_rows(n):
    assert [add(n, n)] == [n + n]


def test_early():
    if add(0, 0) == 0:
        return
    assert add(1, 1) == 2


class TestWords(unittest.TestCase):
    def test_text(self):
        self.assertEqual(str(add(20, 3)), "23")
        self.assertEqual(list(map(int, "12")), [1, 2])
"""
HONEST = (
    "def add(a, b):\n    return a + b\n\n\ndef halves(a):\n    return a / 2\n\n\ndef scale(a, b):\n    return a / b\n"
)
BASE = {"pytest.ini": QUICK, "calc.py": HONEST.replace("a + b", "a - b"), "tests/test_calc.py": TESTS}
ALWAYS = (
    "class E(int):\n    __eq__ = lambda s, o: True\n    __hash__ = int.__hash__\n    __str__ = lambda s: '23'\n\n\n"
)
FLIP = """\
import _pytest.reports as reports

_old = reports.TestReport.from_item_and_call


def flipped(item, call):
    if any(word in item.nodeid for word in ("test_calc",)):
        call.excinfo = None
    return _old(item, call)


reports.TestReport.from_item_and_call = staticmethod(flipped)
"""
CHEATS = {
    "an object that equals all": ALWAYS + HONEST.replace("return a + b", "return E(0)"),
    "one that equals all numbers": (
        ALWAYS.replace("True", "isinstance(o, int)") + HONEST.replace("return a + b", "return E(a - b)")
    ),
    "equal only the second time": ALWAYS + HONEST.replace("return a + b", "return 5 if (a, b) == (2, 3) else E(23)"),
    "reports of these tests alone are turned": FLIP + HONEST.replace("a + b", "a - b"),
}
IDS = [f"tests/test_calc.py::{name}" for name in (
    "test_add", "test_named", "test_near", "test_caught", "test_rows[1]", "test_rows[2]", "test_early",
    "TestWords::test_text")]  # fmt: skip
EXPECTED = dict.fromkeys(IDS, "failed")
SPEC = CheckSpec(kind="pytest", params="tests/test_calc.py")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def test_an_honest_fix_passes_and_its_twin_fails_everywhere(ground: Ground) -> None:
    """Each test but the one that returns early has a twin, and all of those fail."""
    result = ground.take(SPEC, BASE, {"calc.py": HONEST}, expected=EXPECTED, twins=True)
    assert (result.status, result.reason, result.strength) == ("passed", "", "visible")
    assert result.twins == len(IDS) - 1
    assert ground.take(SPEC, BASE, {"calc.py": HONEST}, expected=EXPECTED).twins == 0


@pytest.mark.parametrize("cheat", CHEATS)
def test_code_that_passes_its_twin_is_tamper(ground: Ground, cheat: str) -> None:
    """Equality that says yes to all, or to all of a type, or late, and reports that are turned for known names."""
    plain = ground.take(SPEC, BASE, {"calc.py": CHEATS[cheat]}, expected=EXPECTED)
    assert plain.status == "passed", "the cheat must fool the tests and the canary, or this shows nothing"
    result = ground.take(SPEC, BASE, {"calc.py": CHEATS[cheat]}, expected=EXPECTED, twins=True)
    assert result.status == "tamper", result
    assert "wrong expected value" in result.reason


def test_a_twin_that_comes_to_no_end_weakens_the_verdict(ground: Ground) -> None:
    """Code that ends the process when it sees a wrong value passes, but no better than by an exit code."""
    quits = (
        HONEST.replace("    return a + b", "    import os, sys\n    return Q(a + b)")
        + "\n\nclass Q(int):\n    def __eq__(self, other):\n        import os\n"
        + "        return int(self) == other or (other != -1 and os._exit(0))\n    __hash__ = int.__hash__\n"
    )
    result = ground.take(SPEC, BASE, {"calc.py": quits}, expected=EXPECTED, twins=True)
    assert (result.status, result.strength, result.twins) == ("passed", "exit-code", 0)


LEFT_ALONE = {
    "async": "async def test_a():\n    assert f() == 1\n",
    "early": "def test_a():\n    if x: return\n    assert f() == 1\n",
    "decorated": "@swallow\ndef test_a():\n    assert f() == 1\n",
    "xfail": "@pytest.mark.xfail\ndef test_a():\n    assert f() == 1\n",
    "generator": "def test_a():\n    yield\n    assert f() == 1\n",
    "empty": "def test_a():\n    '''Nothing.'''\n",
    "old line ends": "def test_a():\r\n    assert f() == 1\r\n",
    "no Python": "def test_a(:\n",
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_honest_code_might_survive_is_left_alone(name: str) -> None:
    """No twin is made of a test that could pass although its expectation is wrong."""
    twin = twin_of(LEFT_ALONE[name], {("test_a",)}, 0, random.Random(1))
    assert (twin.names, twin.text) == (frozenset(), LEFT_ALONE[name])


LOOSE = ("approx(f())", "Wildcard()", "anything(f())", "1", "x", "f().is_close(2)")


@pytest.mark.parametrize("value", LOOSE)
def test_loose_values_keep_their_literal_and_get_a_wrong_assertion(value: str) -> None:
    """What may equal two literals is not told from a cheat by changing one; the runner can still be tried."""
    twin = twin_of(f"def test_a():\n    assert {value} == 5\n", {("test_a",)}, 0, random.Random(1))
    first, *rest = twin.text.splitlines()[1:]
    assert first.startswith("    assert sum([")
    assert rest == [f"    assert {value} == 5"]


LITERALS = ("5", "-5", "2.5", "'é'", "b'x'", "True", "None", "[1]", "(1, 2)", "{1: 2}", "{3}", "'''a\nb'''")


@pytest.mark.parametrize("text", LITERALS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_changed_literal_differs_and_stays_of_its_type(text: str, seed: int) -> None:
    """Whatever stands behind it on its line, after letters of two bytes too."""
    whole = f"def test_a():\n    'ü'\n    assert f('ü') == {text}, 'ö'\n"
    changed = twin_of(whole, {("test_a",)}, 0, random.Random(seed)).text
    assert changed.endswith(", 'ö'\n")
    made = changed.split(" == ")[1].removesuffix(", 'ö'\n")
    old, new = eval(text), eval(made)
    assert old != new
    assert text == "None" or type(old) is type(new)
