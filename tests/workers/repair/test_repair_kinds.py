# ruff: noqa: E501 -- small programs read better on one line
"""Each kind of small fault is mended, by a change that all tests accept, in one tree of many modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.search import Aim, Place, search, traced
from tests.workers.repair.rig import place

KINDS: dict[str, tuple[str, str, str]] = {
    "pages": ("def pages(total, size):\n    return total // size\n\n\ndef page(items, number, size):\n    start = number * size\n    return items[start:start + size]\n",
              "assert page([1, 2, 3], 1, 2) == [1, 2]\n    assert page([1, 2, 3], 2, 2) == [3]", "assert pages(4, 2) == 2"),
    "limiter": ("class Limiter:\n    def __init__(self, most):\n        self.most, self.used = most, 0\n\n    def allow(self):\n        if self.used > self.most:\n            return False\n        self.used += 1\n        return True\n",
                "one = Limiter(2)\n    assert [one.allow() for _ in range(3)] == [True, True, False]", "assert Limiter(1).allow()"),
    "invoice": ("def discounted(amount, rate):\n    return amount - amount * rate\n\n\ndef due(amount, rate, shipping):\n    return shipping + discounted(rate, amount)\n",
                "assert due(100, 0.5, 10) == 60\n    assert due(80, 0.25, 0) == 60", "assert discounted(10, 0.5) == 5"),
    "boundary": ("def adult(age):\n    return age > 18\n", "assert adult(18)\n    assert not adult(17)", "assert adult(40)"),
    "chain": ("def within(low, x, high):\n    return low < x < high\n", "assert within(1, 1, 5)\n    assert not within(1, 5, 5)", "assert within(1, 2, 5)"),
    "brackets": ("def mean(a, b):\n    return (a + b) * 2\n", "assert mean(2, 4) == 3\n    assert mean(1, 1) == 1", "assert mean(0, 0) == 0"),
    "index": ("def last(items):\n    return items[len(items)]\n", "assert last([1, 2, 3]) == 3", "assert callable(last)"),
    "operands": ("def left(total, used):\n    return used - total\n", "assert left(10, 3) == 7", "assert left(3, 3) == 0"),
    "boolean": ("def both(a, b):\n    return bool(a or b)\n", "assert not both(1, 0)\n    assert not both(0, 1)", "assert both(1, 1)"),
    "argument": ("def box(width, height):\n    return width, height\n\n\ndef flat(w, h):\n    return box(w * 2, height=w)\n", "assert flat(2, 5) == (4, 5)", "assert box(1, 2) == (1, 2)"),
    "forgotten": ("def price(net, tax=0):\n    return net + tax\n\n\ndef gross(net, tax):\n    return price(net)\n", "assert gross(10, 2) == 12\n    assert gross(1, 5) == 6", "assert price(3) == 3"),
    "name": ("def gross(net, tax):\n    sum_ = net * tax\n    whole = net + sum_\n    return sum_\n", "assert gross(100, 0.5) == 150", "assert gross(0, 1) == 0"),
    "attribute": ("class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n\n    def height(self):\n        return self.x\n", "assert Point(1, 2).height() == 2", "assert Point(3, 3).x == 3"),
    "callee": ("def up(x):\n    return x + 1\n\n\ndef down(x):\n    return x - 1\n\n\ndef step(x):\n    return up(x)\n", "assert step(5) == 4", "assert up(1) == 2\n    assert down(1) == 0"),
    "negation": ("def greet(name):\n    if name:\n        return 'guest'\n    return name\n", "assert greet('') == 'guest'\n    assert greet('ann') == 'ann'", "assert callable(greet)"),
    "guard": ("def mean(items):\n    total = sum(items)\n    return total / len(items)\n", "assert mean([]) == 0", "assert mean([2, 4]) == 3"),
    "raising": ("import math\n\n\ndef root(x):\n    if x is None:\n        raise TypeError\n    return abs(x) ** 0.5\n\n\ndef area(side):\n    return side * side\n", "import pytest\n    with pytest.raises(ValueError):\n        area(-1)", "assert area(2) == 4\n    assert area(1) == 1"),
    "missing key": ("def count(table, key):\n    return table[key]\n", "assert count({}, 'a') == 0", "assert count({'a': 2}, 'a') == 2"),
    "call": ("def parse(text):\n    return text\n", "assert parse('12') == 12", "assert callable(parse)"),
    "default": ("def add(x, seen=[]):\n    seen.append(x)\n    return seen\n", "assert add(1) == [1]\n    assert add(2) == [2]", "assert add(3, []) == [3]"),
    "order": ("def take(stack):\n    stack.clear()\n    top = list(stack)\n    return top\n", "assert take([1, 2]) == [1, 2]", "assert take([]) == []"),
    "lost value": ("def double(x):\n    y = x * 2\n", "assert double(3) == 6", "assert callable(double)"),
}  # fmt: skip
"""Kind → the faulty module, what its failing test asserts, and what its passing test asserts."""

EVERYDAY = tuple(KINDS)[:13]
"""Kinds that are tried each time; the others are marked slow."""


def module(kind: str) -> str:
    return kind.replace(" ", "_")


def ids(kind: str) -> tuple[str, str]:
    name = f"tests/test_{module(kind)}.py"
    return f"{name}::test_it", f"{name}::test_other"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Trace]:
    """One tree with every faulty module, traced once."""
    files = {}
    for kind, (source, red, green) in KINDS.items():
        files[f"{module(kind)}.py"] = source
        tests = f"from {module(kind)} import *\n\n\ndef test_it():\n    {red}\n\n\ndef test_other():\n    {green}\n"
        files[f"tests/test_{module(kind)}.py"] = tests
    where = place(tmp_path_factory.mktemp("kinds"), files)
    every = [ids(kind) for kind in KINDS]
    return where, traced(where, Aim(tuple(red for red, _ in every), tuple(green for _, green in every), "allowed", 1))


@pytest.mark.parametrize("kind", [k if k in EVERYDAY else pytest.param(k, marks=pytest.mark.slow) for k in KINDS])
def test_each_kind_of_small_fault_is_mended(kind: str, bench: tuple[Place, Trace], tmp_path: Path) -> None:
    """The chosen change makes the red test green, keeps the green one, and holds in a process of its own."""
    where, trace = bench
    red, green = ids(kind)
    found = search(where, Aim((red,), (green,), "allowed", 1, seconds=30), trace)
    assert found.plausible, (found.why, found.tried, found.total, found.suspects)
    assert found.suspects[0].text
    best = found.plausible[0]
    (tmp_path / "tests").mkdir()
    (tmp_path / best.path).write_bytes(best.text)
    (tmp_path / "tests" / "test_m.py").write_bytes(Path(where.folder, red.partition("::")[0]).read_bytes())
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:hypothesispytest",
    ]
    done = subprocess.run([*argv, str(tmp_path / "tests")], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
