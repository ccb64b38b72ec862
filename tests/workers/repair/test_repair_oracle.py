# ruff: noqa: E501 -- small programs read better on one line
"""What a search goes by: test ids, unittest's names, a command's exit code; and the lines it suspects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentloop.core.check import CheckSpec
from agentloop.workers.repair.oracle import COMMAND_TEST, Oracle, oracle
from agentloop.workers.repair.search import Aim, search, traced
from agentloop.workers.repair.suspects import suspects
from tests.workers.repair.rig import place

TREE = {"tests/test_m.py", "m.py", "check.py", "tests", "tools/check.py"}


@pytest.mark.parametrize(
    ("command", "targets"),
    [
        ("python -m unittest tests.test_m.TestIt.test_one", ("tests/test_m.py::TestIt::test_one",)),
        ("python3 -m unittest tests.test_m -v", ("tests/test_m.py",)),
        ("python -m unittest", (".",)),
        ("python -m unittest discover -s tests", ("tests",)),
        ("pytest -q tests/test_m.py::test_it", ("tests/test_m.py::test_it",)),
        ("/usr/bin/python3.11 -m pytest", (".",)),
        ("python check.py --fast", (COMMAND_TEST,)),
        ("python -m m", (COMMAND_TEST,)),
        ("python -c 'import m; m.f()'", (COMMAND_TEST,)),
        ("python check.py | grep ok", ()),
        ("make test", ()),
        ("python", ()),
        ("python -m", ()),
        ("python -X dev check.py", ()),
    ],
)
def test_a_command_is_read_for_the_tests_it_means(command: str, targets: tuple[str, ...]) -> None:
    """What is not understood gives no targets, never wrong ones."""
    assert oracle(CheckSpec(kind="run", params=command), (), TREE).targets == targets
    assert oracle(CheckSpec(kind="run", params={"cmd": command}), (), TREE).targets == targets
    if command.startswith("python -m unittest "):
        plain = CheckSpec(kind="run", params={"unittest": command.removeprefix("python -m unittest ")})
        assert oracle(plain, (), TREE).targets == targets


def test_a_pytest_check_without_known_ids_names_its_files() -> None:
    """As where a test hangs so that no report came."""
    spec = CheckSpec(kind="pytest", params=["tests/test_m.py::test_it"])
    assert oracle(spec, (), TREE) == Oracle(("tests/test_m.py",))
    assert oracle(spec, ("tests/test_m.py::test_it",), TREE) == Oracle(("tests/test_m.py::test_it",))


SOURCE = "def total(prices, tax):\n    net = sum(prices)\n    return net\n"


def total_of(text: bytes) -> Callable[[list[int], int], int]:
    """The function that a patch makes."""
    names: dict[str, Any] = {}
    exec(text, names)
    made: Callable[[list[int], int], int] = names["total"]
    return made


def test_a_fault_that_only_an_exit_code_tells_is_mended(tmp_path: Path) -> None:
    """A script of asserts, with arguments, that imports the code from beside it."""
    script = "import sys\nfrom m import total\n\nif total([1, 2], int(sys.argv[1])) != 8:\n    sys.exit('wrong')\n"
    found = oracle(CheckSpec(kind="run", params="python tools/check.py 5"), (), TREE)
    files = {"m.py": SOURCE, "tools/check.py": script, COMMAND_TEST: found.test}
    where = place(tmp_path, files)
    aim = Aim(found.targets, (), "allowed", 1, seconds=30)
    (best, *_) = search(where, aim, traced(where, aim)).plausible
    assert best.path == "m.py"
    assert total_of(best.text)([1, 2], 5) == 8


def test_unittest_is_searched_like_pytest(tmp_path: Path) -> None:
    """Methods of a TestCase, an expected failure among them; what passed in the named file is kept so."""
    test = (
        "import unittest\nfrom m import total\n\n\nclass TestIt(unittest.TestCase):\n"
        "    def test_red(self):\n        self.assertEqual(total([1, 2], 5), 8)\n\n"
        "    def test_green(self):\n        self.assertEqual(total([], 0), 0)\n\n"
        "    @unittest.expectedFailure\n    def test_known(self):\n        self.assertEqual(total([1], 1), 7)\n"
    )
    where = place(tmp_path, {"m.py": SOURCE, "tests/test_m.py": test})
    aim = Aim(("tests/test_m.py",), (), "allowed", 1, seconds=30)
    trace = traced(where, aim)
    assert trace.tests["tests/test_m.py::TestIt::test_red"]["outcome"] == "failed"
    assert total_of(search(where, aim, trace).plausible[0].text)([1, 2], 5) == 8


def test_suspicious_lines_are_told_as_text(tmp_path: Path) -> None:
    """The worst first with its text; where no test fails, that is said instead."""
    source = SOURCE + "\n\ndef other(x):\n    return x\n"
    test = "from m import other, total\n\n\ndef test_it():\n    assert total([1], 1) == 2\n\n\ndef test_other():\n    assert other(1) == 1\n"
    where = place(tmp_path, {"m.py": source, "tests/test_m.py": test})
    rows = suspects(where, ("tests/test_m.py",)).splitlines()
    assert rows[0] == "1 failing test(s), AssertionError; most suspicious lines first:"
    assert set(rows[1:3]) == {"m.py:2: net = sum(prices)", "m.py:3: return net"}
    assert "no suspicious lines" in suspects(where, ("tests/test_m.py::test_other",))


def test_a_test_that_hangs_is_cut_off_and_mended(tmp_path: Path) -> None:
    """The traceback tells where it stood; the hang costs no more than its limit, each time."""
    source = "def steps(n):\n    done = 0\n    while n > 0:\n        done += 1\n        n -= 0\n    return done\n"
    test = "from m import steps\n\n\ndef test_it():\n    assert steps(3) == 3\n\n\ndef test_none():\n    assert steps(0) == 0\n"
    where = place(tmp_path, {"m.py": source, "tests/test_m.py": test})
    aim = Aim(("tests/test_m.py",), (), "allowed", 1, seconds=30)
    trace = traced(where, aim)
    red = trace.tests["tests/test_m.py::test_it"]
    assert red.get("hung"), red
    assert ["m.py", "steps"] in [[path, name] for path, _, name in red["frames"]]
    assert b"n -= 1" in search(where, aim, trace).plausible[0].text
