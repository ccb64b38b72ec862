"""The kind `run` with test ids: unittest by way of the kit, node, and the reports that other runners write."""

from __future__ import annotations

import shutil

import pytest

from agentloop.checks import KINDS
from agentloop.checks.junit_report import MAX_CASES, MAX_DEPTH, junit_outcomes, still_expected
from agentloop.core.check import CheckResult, CheckSpec
from tests.checks.plain_bench import Ground

CALC = {"calc.py": "def add(a, b):\n    return a - b\n"}
UNIT = {
    **CALC,
    "tests/__init__.py": "",
    "tests/test_calc.py": (
        "import unittest\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n"
        "    def test_small(self):\n        self.assertEqual(add(2, 3), 5)\n\n"
        "    def test_zero(self):\n        self.assertEqual(add(7, 0), 7)\n\n"
        "    @unittest.skip('later')\n    def test_later(self):\n        pass\n\n"
        "    @unittest.expectedFailure\n    def test_known(self):\n        self.assertEqual(add(1, 1), 3)\n\n"
        "    def test_parts(self):\n        for n in (0, 1):\n            with self.subTest(n=n):\n"
        "                self.assertEqual(add(n, 0), n)\n"
    ),
}
GOOD = {"calc.py": "def add(a, b):\n    return a + b\n"}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"))


def unit(
    ground: Ground, base: dict[str, str], change: dict[str, str | None] | None = None, **bench: object
) -> CheckResult:
    return ground.take(CheckSpec(kind="run", params={"unittest": "discover -s tests -t ."}), base, change, **bench)


def outcomes(result: CheckResult) -> dict[str, str]:
    parts = (("passed", result.ids), ("failed", result.failing), ("skipped", result.skipped))
    return {key: outcome for outcome, keys in parts for key in keys}


def test_unittest_has_ids_and_each_expected_one_must_pass(ground: Ground) -> None:
    """Red on base, green with the fix, and red where a test is gone, skipped or hidden."""
    base = unit(ground, UNIT)
    name = "tests.test_calc.TestAdd::"
    assert base.failing == (f"{name}test_small",)
    assert set(base.skipped) == {f"{name}test_later", f"{name}test_known"}
    assert set(base.ids) == {f"{name}test_zero", f"{name}test_parts"}
    expected = outcomes(base)
    assert unit(ground, UNIT, GOOD, expected=expected).passed
    text = UNIT["tests/test_calc.py"]
    for weaker in (
        text.replace("def test_small", "def small"),
        text.replace("    def test_small", "    @unittest.skip('no')\n    def test_small"),
        text.replace("def test_parts(self):", "def test_parts(self):\n        self.skipTest('no')"),
    ):
        result = unit(ground, UNIT, {**GOOD, "tests/test_calc.py": weaker}, expected=expected)
        assert (result.status, "1 of 5 expected tests" in result.reason) == ("failed", True), result


@pytest.mark.parametrize(
    "trick",
    [
        "import os\nos._exit(0)\n",
        "import atexit, os\natexit.register(os._exit, 0)\n",
        "import sys\nsys.exit(0)\n",
        "import unittest\nraise unittest.SkipTest('no')\n",
    ],
)
def test_unittest_is_not_talked_into_passing_by_its_exit_code(ground: Ground, trick: str) -> None:
    """Exit code 0 without the tests having passed is nothing."""
    result = unit(ground, UNIT, {"calc.py": trick + CALC["calc.py"]}, expected=outcomes(unit(ground, UNIT)))
    assert result.status == "failed"


@pytest.mark.parametrize(
    "tree", [{"tests/__init__.py": ""}, {"tests/__init__.py": "", "tests/test_a.py": "import unittest\n"}]
)
def test_unittest_without_a_test_never_passes(ground: Ground, tree: dict[str, str]) -> None:
    """Whatever the version's exit code is."""
    assert (result := unit(ground, tree)).status == "failed"
    assert result.reason == "no test was collected"


def test_a_module_that_did_not_load_is_held_by_the_tests_in_it(ground: Ground) -> None:
    """It is red under its path; once it loads, its tests have names of their own."""
    base = {name: text for name, text in UNIT.items() if name != "calc.py"}
    first = unit(ground, base)
    assert first.failing == ("::tests/test_calc.py",)
    expected = outcomes(first)
    assert unit(ground, base, GOOD, expected=expected).passed
    assert unit(ground, base, CALC, expected=expected).status == "failed"
    assert unit(ground, base, {"tests/test_calc.py": "x = 1\n"}, expected=expected).status == "failed"


def test_odd_names_and_fixtures_are_reported(ground: Ground) -> None:
    """Control characters in a name make no broken report; a class whose set-up fails is red."""
    text = (
        "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n\n\n"
        "setattr(T, 'test_\\x01<&\"', lambda self: None)\n\n\n"
        "class S(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        raise ValueError\n\n"
        "    def test_a(self):\n        pass\n"
    )
    result = unit(ground, {"tests/__init__.py": "", "tests/test_t.py": text})
    assert (result.ids, result.failing) == (('tests.test_t.T::test_\\x01<&"',), ("tests.test_t.S::setUpClass",))


def test_what_unittest_is_given_is_looked_at() -> None:
    """Its files are protected, its arguments must be words."""
    kind = KINDS["run"]
    assert kind.files({"unittest": "tests.test_calc.TestAdd -v"}) == [
        "tests.py", "tests/test_calc.py", "tests/test_calc/TestAdd.py"
    ]  # fmt: skip
    assert kind.files({"unittest": "-v check/all.py"}) == ["check/all.py"]
    for wrong in (
        {"unittest": ""},
        {"unittest": 3},
        {"unittest": "'a"},
        {"unittest": "a", "cmd": "b"},
        {"unitest": "a"},
    ):
        assert kind.problems(wrong), wrong


JUNIT = "--test-reporter=junit --test-reporter-destination=out.xml"
SUM = {
    "sum.js": "module.exports = (a, b) => a - b;\n",
    "test/sum.test.js": (
        "const test = require('node:test'), assert = require('assert'), sum = require('../sum.js');\n"
        "test('small', () => assert.equal(sum(2, 3), 5));\ntest('zero', () => assert.equal(sum(7, 0), 7));\n"
        "test('later', { todo: true }, () => assert.equal(sum(1, 1), 3));\n"
    ),
}

if shutil.which("node"):  # the shape of its reports is tried below, on every machine

    def test_node_has_ids(ground: Ground) -> None:
        """With its own JUnit reporter: red, green, a file that does not load, and no test at all."""
        spec = CheckSpec(kind="run", params={"cmd": f"node --test {JUNIT}", "junit": "out.xml"})
        base = ground.take(spec, SUM)
        assert (base.ids, base.failing, base.skipped) == (("test::zero",), ("test::small",), ("test::later",))
        good = {"sum.js": "module.exports = (a, b) => a + b;\n"}
        assert ground.take(spec, SUM, good, expected=outcomes(base)).passed
        lost = {name: text for name, text in SUM.items() if name != "sum.js"}
        unloaded = ground.take(spec, lost)
        assert unloaded.failing == ("test::test/sum.test.js",)
        assert ground.take(spec, lost, good, expected=outcomes(unloaded)).passed
        assert ground.take(spec, {"sum.js": "1"}).reason == "no test was collected"


REPORTS = {
    "node --test": (
        '<testsuites><testcase name="adds" time="0.1" classname="test"/>'
        '<testcase name="later" classname="test" failure="x"><skipped type="todo"/><failure/></testcase>'
        '<testsuite name="inner" tests="1"><testcase name="deep" classname="test"/></testsuite>'
        '<testcase name="/home/me/tree/test/b.test.js" classname="test" failure="x"><failure/></testcase></testsuites>',
        {"test::adds": "passed", "test::later": "skipped", "test::deep": "passed", "test::test/b.test.js": "failed"},
    ),
    "gotestsum": (
        '<testsuites tests="3"><testsuite tests="2" name="shop/cart"><properties><property name="go.version"/>'
        '</properties><testcase classname="shop/cart" name="TestAdd" time="0.0"/>'
        '<testcase classname="shop/cart" name="TestAdd/two_coupons"><failure message="Failed" type="">x</failure>'
        '</testcase></testsuite><testsuite name="shop/tax"><testcase classname="shop/tax" name="TestMain">'
        '<failure message="Failed"/></testcase></testsuite></testsuites>',
        {"shop/cart::TestAdd": "passed", "shop/cart::TestAdd/two_coupons": "failed", "shop/tax::TestMain": "failed"},
    ),
    "go-junit-report": (
        '<?xml version="1.0"?><testsuites><testsuite name="shop" tests="1" errors="1" id="0">'
        '<testcase name="[build failed]" classname="shop"><error message="Build error"><![CDATA[a.go:3]]></error>'
        '</testcase></testsuite></testsuites>',
        {"shop::[build failed]": "error"},
    ),
    "cargo nextest": (
        '<testsuites name="run" uuid="u"><testsuite name="cart" disabled="0"><testcase name="tests::adds" '
        'classname="cart" timestamp="2026-01-01T00:00:00Z"/><testcase name="tests::pays" classname="cart">'
        '<failure type="test failure">panicked</failure><rerunFailure/><system-out>x</system-out></testcase>'
        '</testsuite></testsuites>',
        {"cart::tests::adds": "passed", "cart::tests::pays": "failed"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("runner", REPORTS)
def test_the_reports_of_other_runners_are_read(runner: str) -> None:
    """In the shape that each writes; the folder of the run is no part of a name."""
    text, wanted = REPORTS[runner]
    assert junit_outcomes(text.encode(), "/home/me/tree") == wanted


def test_what_did_not_build_on_base_is_held_by_what_is_in_it() -> None:
    """Go's `[build failed]` is gone once the package builds; of a class that had more, nothing may be missing."""
    expected = {"shop::[build failed]": "error", "cart::TestA": "failed", "cart::TestB": "passed"}
    new = {"cart::TestA": "passed", "cart::TestB": "passed"}
    assert still_expected(expected, {**new, "shop::TestPay": "passed"}, ()) == {
        "cart::TestA": "failed", "cart::TestB": "passed"
    }  # fmt: skip
    for nothing in ({}, {"shop::TestPay": "skipped"}, {"shop::TestPay": "failed"}, {"other::TestPay": "passed"}):
        assert still_expected(expected, {**new, **nothing}, ()) == expected
    assert "cart::TestA" in (still_expected(expected, {"cart::TestC": "passed"}, ()) or {})
    assert still_expected(None, new, ()) is None


BILLION = (
    '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><testsuite><testcase classname="a" name="&c;"/></testsuite>'
)
OUTSIDE = '<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite><testcase classname="a" name="b"/></testsuite>'


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (BILLION.encode(), "document type"),
        (OUTSIDE.encode(), "document type"),
        (BILLION.encode("utf-16"), "document type"),
        (b"<a>" * (MAX_DEPTH + 1), "levels deep"),
        (b"<a>" + b"<testcase/>" * (MAX_CASES + 1), "cases"),
        (b" " * (32 * 1024 * 1024 + 1), "bytes"),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>', "not a JUnit report"),
        (b'<testsuite><testcase name="a"/>', "not a JUnit report"),
        (b"<html/>", "not a JUnit report"),
        (b"", "not a JUnit report"),
    ],
    ids=["bomb", "file", "utf-16", "deep", "many", "huge", "encoding", "cut", "html", "empty"],
)
def test_a_harmful_or_broken_report_is_refused(data: bytes, word: str) -> None:
    """Before any tree of it is made, whatever encoding hides it in."""
    with pytest.raises(ValueError, match=word):
        junit_outcomes(data)
