# ruff: noqa: E501 -- small programs read better on one line
"""What the tracer tells: lines by test, with and without coverage, and where failing tests failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentloop.workers.repair.localise import Trace, localise, within
from agentloop.workers.repair.search import Aim, Found, search, traced
from agentloop.workers.repair.source import Source
from agentloop.workers.repair.standing import BORROW
from tests.workers.repair.rig import place

SHOP = "def net(a):\n    return a\n\n\ndef gross(a, tax):\n    total = net(a) - tax\n    if total > 99:\n        return 99\n    return total\n"
TESTS = "from shop import gross, net\n\n\ndef test_it():\n    assert gross(1, 2) == 3\n\n\ndef test_other():\n    assert net(1) == 1\n"
AIM = Aim(("tests/test_shop.py::test_it",), ("tests/test_shop.py::test_other",), "allowed", 1, seconds=30)


@pytest.mark.parametrize("borrow", [BORROW, None], ids=["coverage", "settrace"])
@pytest.mark.parametrize("folder", ["", "src/"], ids=["flat", "src"])
def test_each_test_is_tied_to_the_lines_it_runs(borrow: str | None, folder: str, tmp_path: Path) -> None:
    """With coverage or by sys.settrace, flat or below src: the same lines, and never those of test files."""
    trace = traced(where := place(tmp_path, {f"{folder}shop.py": SHOP, "tests/test_shop.py": TESTS}, borrow), AIM)
    red, green = AIM.failing[0], AIM.passing[0]
    assert list(trace.lines) == [f"{folder}shop.py"]
    ran = {line: set(tests) for line, tests in trace.lines[f"{folder}shop.py"].items()}
    assert ran == {1: set(), 2: {red, green}, 5: set(), 6: {red}, 7: {red}, 9: {red}}
    assert trace.tests[red]["outcome"] == "failed"
    assert trace.tests[red]["error"] == "AssertionError"
    assert {"gross", "3"} <= trace.words([red])
    assert trace.covering(f"{folder}shop.py", 7, 8) == {red}
    assert trace.covering(f"{folder}shop.py", 8, 8) == {red}
    assert not Path(where.folder, ".no-bytecode").exists()


def test_a_fault_is_mended_below_src_without_coverage(tmp_path: Path) -> None:
    """The layout that pytest's own configuration says nothing about is found by the server too."""
    where = place(tmp_path, {"src/shop.py": SHOP, "tests/test_shop.py": TESTS}, None)
    found: Found = search(where, AIM, traced(where, AIM))
    assert b"net(a) + tax" in found.plausible[0].text, found


def test_a_source_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    """No patch, and pytest's own reason."""
    where = place(tmp_path, {"shop.py": "import not_there\n", "tests/test_shop.py": TESTS})
    found = search(where, AIM, traced(where, AIM))
    assert (found.plausible, found.tried) == ((), 0)
    assert "not_there" in found.why


def test_one_broken_test_file_does_not_blind_the_others(tmp_path: Path) -> None:
    """Ids that are not found, or stand in a file that can't be imported, are left out; the rest is traced."""
    files = {"shop.py": SHOP, "tests/test_shop.py": TESTS, "tests/test_off.py": "import not_there\n"}
    more = ("tests/test_off.py::test_it", "tests/test_shop.py::test_gone", "tests/test_lost.py::test_it")
    trace = traced(place(tmp_path, files), replace(AIM, failing=(*AIM.failing, *more)))
    assert set(trace.tests) == {*AIM.failing, *AIM.passing}
    assert "not_there" in trace.errors[0]


def test_words_of_the_failing_assertion_make_a_line_worse() -> None:
    """Of two lines that the same tests run, the one that is spoken of comes first; scopes widen from it."""
    source = "def f(a):\n    b = a\n    rate = a\n    return b\n\n\ndef g(a):\n    return a\n"
    red = {
        "outcome": "failed",
        "seconds": 0.0,
        "frames": [["m.py", 4, "f"]],
        "words": ">   assert rate == 3\nE   assert 2",
    }
    tests = {"red": red, "green": {"outcome": "passed", "seconds": 0.0}}
    lines = {"m.py": {2: ("red",), 3: ("red",), 4: ("red",), 8: ("red", "green")}, "n.py": {1: ("red", "green")}}
    trace = Trace(tests, lines)
    found = localise(trace, {"red"}, lambda path: True, {"m.py": source.split("\n")})
    assert [(line.path, line.number) for line in found] == [
        ("m.py", 4),
        ("m.py", 3),
        ("m.py", 2),
        ("m.py", 8),
        ("n.py", 1),
    ]
    trees = {"m.py": Source("m.py", source.encode()).tree, "n.py": Source("n.py", b"x = 1\n").tree}
    wide = {
        scope: len(within(scope, found, trace, {"red"}, trees))
        for scope in ("traceback", "function", "file", "allowed")
    }
    assert wide == {"traceback": 3, "function": 3, "file": 4, "allowed": 5}
