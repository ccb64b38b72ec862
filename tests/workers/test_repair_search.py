# ruff: noqa: E501 -- small programs read better on one line
"""The repair search on small programs with one fault each: real processes, real tests, no model."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.core.process import Captured, Ran
from agentloop.wiring.session import KIT
from agentloop.workers.repair.localise import Trace, localise
from agentloop.workers.repair.rank import candidates
from agentloop.workers.repair.search import Aim, Found, Place, search, traced
from agentloop.workers.repair.source import Source
from agentloop.workers.repair.standing import BORROW
from agentloop.workers.repair.templates import edits_at
from tests.repos import QUICK

BUGS: dict[str, tuple[str, str, str]] = {
    "boundary": ("def over(n, limit):\n    return n > limit\n", "return n >= limit",
                 "assert over(3, 3)\n    assert not over(2, 3)\n    assert over(4, 3)"),
    "off by one": ("def last(items):\n    return items[len(items)]\n", "len(items) - 1",
                   "assert last([1, 2, 3]) == 3\n    assert last([7]) == 7"),
    "range": ("def total(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "range(n + 1)",
              "assert total(3) == 6\n    assert total(0) == 0\n    assert total(1) == 1"),
    "operator": ("def area(w, h):\n    return w + h\n", "w * h", "assert area(3, 4) == 12\n    assert area(5, 1) == 5"),
    "swapped operands": ("def left(total, used):\n    return used - total\n", "total - used",
                         "assert left(10, 3) == 7\n    assert left(3, 3) == 0"),
    "swapped arguments": ("def ratio(a, b):\n    return a / b\n\n\ndef share(part, whole):\n    return ratio(whole, part)\n",
                          "ratio(part, whole)", "assert share(1, 4) == 0.25\n    assert share(3, 6) == 0.5"),
    "wrong name": ("def scale(price, tax):\n    net = price\n    gross = price * (1 + tax)\n    return net\n", "return gross",
                   "assert scale(100, 0.5) == 150\n    assert scale(2, 1) == 4"),
    "wrong attribute": ("class P:\n    def __init__(self):\n        self.x, self.y = 1, 2\n\n    def up(self):\n        return self.x\n",
                        "self.y", "assert P().up() == 2"),
    "negated condition": ("def name(user):\n    if user:\n        return 'guest'\n    return user\n", "if not user",
                          "assert name('') == 'guest'\n    assert name('ann') == 'ann'"),
    "missing guard": ("def mean(items):\n    return sum(items) / len(items)\n", "if not items",
                      "assert mean([]) == 0\n    assert mean([2, 4]) == 3"),
    "missing key": ("def count(d, k):\n    return d[k]\n", ".get(k, 0)", "assert count({}, 'a') == 0\n    assert count({'a': 2}, 'a') == 2"),
    "wrong method": ("def tail(s):\n    return s.lstrip()\n", "s.rstrip()", "assert tail(' a ') == ' a'"),
    "missing call": ("def parse(s):\n    return s\n", "int(s)", "assert parse('12') == 12\n    assert parse('0') == 0"),
    "mutable default": ("def add(x, seen=[]):\n    seen.append(x)\n    return seen\n", "None",
                        "assert add(1) == [1]\n    assert add(2) == [2]"),
    "and for or": ("def ok(a, b):\n    return a and b\n", "a or b", "assert ok(1, 0)\n    assert ok(0, 1)\n    assert not ok(0, 0)"),
}  # fmt: skip
"""Kind → the faulty module, a part of the true fix, and what its test asserts."""


def place(folder: Path, files: dict[str, str]) -> Place:
    tree, scratch = folder / "tree", folder / "scratch"
    for name, text in {"pytest.ini": QUICK, **files}.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    scratch.mkdir()

    def launch(argv: tuple[str, ...], timeout: float, env: Mapping[str, str]) -> Ran:
        plain = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **env}
        began = time.monotonic()
        done = subprocess.run(argv, cwd=tree, env=plain, capture_output=True, timeout=timeout, check=False)
        seconds = time.monotonic() - began
        return Ran(code=done.returncode, stderr=Captured(done.stderr, b"", len(done.stderr)), seconds=seconds)

    python = {name: text.encode() for name, text in files.items() if name.endswith(".py")}
    mine = {name for name in python if not name.startswith("tests/")}
    return Place(str(tree), str(scratch), KIT, sys.executable, launch, python, lambda path: path in mine, BORROW)


def find(folder: Path, files: dict[str, str], aim: Aim) -> Found:
    where = place(folder, files)
    return search(where, aim, traced(where, aim))


TEST = "tests/test_m.py::test_it"


EVERYDAY = ("boundary", "swapped arguments")
"""Kinds that are tried each time; the others are marked slow."""


@pytest.mark.parametrize("kind", [k if k in EVERYDAY else pytest.param(k, marks=pytest.mark.slow) for k in BUGS])
def test_a_seeded_fault_is_mended(kind: str, tmp_path: Path) -> None:
    """A patch that the failing and the passing tests accept is found, and the tests accept it in a fresh process."""
    source, fix, asserts = BUGS[kind]
    test = f"from m import *\n\n\ndef test_it():\n    {asserts}\n\n\ndef test_other():\n    assert 1\n"
    files = {"m.py": source, "tests/test_m.py": test}
    found = find(tmp_path, files, Aim((TEST,), ("tests/test_m.py::test_other",), "allowed", 1, seconds=60))
    assert found.plausible, (found.why, found.tried, found.total)
    assert any(fix in candidate.text.decode() for candidate in found.plausible) or kind in (
        "missing guard",
        "mutable default",
    )
    (tmp_path / "tree" / "m.py").write_bytes(found.plausible[0].text)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert subprocess.run(argv, cwd=tmp_path / "tree", capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_hanging_candidate_is_cut_off_and_an_exhausted_scope_is_told(tmp_path: Path) -> None:
    """Loops that never end under some change do not stop the search; where nothing helps, all was tried."""
    source = "def steps(n):\n    done = 0\n    while n > 0:\n        n -= 1\n        done += 1\n    return done\n"
    test = "from m import steps\n\n\ndef test_it():\n    assert steps(3) == 'never'\n\n\ndef test_other():\n    assert steps(2) == 2\n"
    aim = Aim((TEST,), ("tests/test_m.py::test_other",), "traceback", 1, seconds=90)
    found = find(tmp_path, {"m.py": source, "tests/test_m.py": test}, aim)
    assert found.plausible == ()
    assert found.tried == found.total > 20
    assert found.exhausted
    rows = [json.loads(row) for row in (tmp_path / "scratch" / "results.jsonl").read_text().splitlines()]
    assert "hang" in {row["outcome"] for row in rows}
    assert found.suspects[0].path == "m.py"


def test_tests_that_cannot_be_imported_are_no_crash(tmp_path: Path) -> None:
    """A syntax error in the source leaves nothing to go by, and that is said."""
    found = find(
        tmp_path,
        {"m.py": "def f(:\n", "tests/test_m.py": "import m\n\n\ndef test_it():\n    pass\n"},
        Aim((TEST,), (), "allowed", 1),
    )
    assert (found.plausible, found.tried) == ((), 0)
    assert "can't be run one by one" in found.why


@pytest.mark.slow
def test_a_wider_scope_leaves_out_what_was_searched(tmp_path: Path) -> None:
    """Each line is searched once, and scopes that hold no other line are told as covered."""
    source, _, asserts = BUGS["operator"]
    files = {"m.py": source, "tests/test_m.py": f"from m import *\n\n\ndef test_it():\n    {asserts}\n    assert 0\n"}
    where = place(tmp_path, files)
    trace = traced(where, Aim((TEST,), (), "traceback", 1))
    first = search(where, Aim((TEST,), (), "traceback", 1, seconds=60), trace)
    again = search(where, Aim((TEST,), (), "function", 1, ("traceback",), seconds=60), trace)
    assert first.total > 0
    assert again.total == 0
    assert "function" in first.covered


def test_suspicion_follows_failing_tests() -> None:
    """A line that only failing tests execute is worse than one that all execute, and frames count more."""
    lines = {"m.py": {1: ("f", "p"), 2: ("f",), 3: ("p",), 4: ("f",)}}
    tests = {
        "f": {"outcome": "failed", "seconds": 0.0, "frames": [["m.py", 4, "g"]]},
        "p": {"outcome": "passed", "seconds": 0.0},
    }
    found = localise(Trace(tests, lines), {"f"}, lambda path: True)
    assert [line.number for line in found] == [4, 2, 1]
    assert localise(Trace(tests, lines), {"f"}, lambda path: False) == []


PROGRAM = """\
import os

LIMIT = 10


class Box:
    size: int = 3

    def __init__(self, items=[], name="ä"):
        self.items = items
        self.name = name

    def total(self, extra, *, scale=2):
        result = 0
        for index, item in enumerate(self.items):
            if item > LIMIT and not extra:
                continue
            result += item * scale - index
        try:
            return result // len(self.items[1:])
        except ZeroDivisionError:
            return max(result, 0)


def helper(box, key, table):
    value = table[key] if key in table else box.total(key, scale=3)
    print(f"{value} of {box.name}")
    return os.path.join("a", str(value))
"""


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["\n", "\r\n"]), st.sets(st.integers(1, 31), min_size=1))
def test_every_edit_is_spliced_where_it_says(end: str, lines: set[int]) -> None:
    """Only the bytes of the edit differ; non-ASCII text and line ends elsewhere stay as they are."""
    data = PROGRAM.replace("\n", end).encode()
    source = Source("m.py", data)
    for edit in edits_at(source, lines):
        made = source.edited(edit)
        assert made.startswith(data[: edit.start])
        assert made.endswith(data[edit.end :])
        assert len(made) == len(data) - (edit.end - edit.start) + len(edit.text)


def test_candidates_are_distinct_programs_in_a_fixed_order() -> None:
    """What differs only in layout is tried once; the order is the same each time."""
    source = Source("m.py", PROGRAM.encode())
    tests = {"f": {"outcome": "failed", "seconds": 0.0, "frames": []}}
    trace = Trace(tests, {"m.py": dict.fromkeys(range(14, 29), ("f",))})
    lines = localise(trace, {"f"}, lambda path: True)
    made = list(candidates({"m.py": source}, lines, 1))
    shapes = [ast.dump(ast.parse(candidate.text)) for candidate in made]
    assert len(shapes) == len(set(shapes)) > 200
    assert ast.dump(source.tree) not in shapes
    assert [c.text for c in candidates({"m.py": source}, lines, 1)] == [c.text for c in made]
    assert {c.edits[0].template for c in made} >= {"comparison", "off by one", "operator", "name", "arguments", "guard"}
    pairs = list(candidates({"m.py": source}, lines, 2))
    assert pairs
    assert all(len(pair.edits) == 2 for pair in pairs)
