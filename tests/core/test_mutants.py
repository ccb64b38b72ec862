"""Faults put into changed lines."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.mutants import mutants

FAULTS = [
    ("return a == b", ["return (None)", "return (a != b)"]),
    ("return a < b", ["return (None)", "return (a >= b)"]),
    ("return a is None", ["return (None)", "return (a is not None)"]),
    ("x = a in b", ["x = (a not in b)"]),
    ("x = a + b", ["x = (a - b)"]),
    ("x = a // b", ["x = (a * b)"]),
    ("x = a and b", ["x = (a or b)"]),
    ("x = not a", ["x = (a)"]),
    ("x = 5", ["x = (6)"]),
    ("x = -1.5", ["x = -(2.5)"]),
    ("x = True", ["x = (False)"]),
    ("x = 'ä'", ["x = ('äx')"]),
    ("if a: x()", ["if (not a): x()"]),
    ("while a(): x()", ["while (not a()): x()"]),
    ("return None", []),
    ("x: 'int' = 1", ["x: 'int' = (2)"]),
    ("'words'", []),
    ("x = f'{a}b'", []),
    ("x(b'c')", []),
    ("x = a < b < 3", ["x = a < b < (4)"]),
    ("def g(n=1) -> 'int': pass", []),
]


@pytest.mark.parametrize(("line", "made"), FAULTS)
def test_each_fault_is_put_in_where_it_belongs(line: str, made: list[str]) -> None:
    """The rest of the file stays as it is, to the byte."""
    head = "# ü\ndef f(a, b):\n    y = 1 + 1\n    "
    found = mutants(head + "pass\n    z()\n", f"{head}{line}\n    z()\n", 9)
    assert sorted(mutant.text for mutant in found) == sorted(f"{head}{one}\n    z()\n" for one in made)
    assert {mutant.line for mutant in found} <= {4}


def test_they_are_spread_over_the_changed_lines() -> None:
    """And never in a line that stood there before."""
    before = "\n".join(f"a{number} = 1" for number in range(40))
    after = "\n".join(f"a{number} = {1 + number % 2}" for number in range(40))
    lines = [mutant.line for mutant in mutants(before, after, 4)]
    assert len(lines) == 4
    assert {line % 2 for line in lines} == {0}
    assert max(lines) - min(lines) > 20


@pytest.mark.parametrize("text", ["def f(:\n", "x = 'a\n", "\0", "(" * 5000])
def test_what_is_not_python_has_none(text: str) -> None:
    """Also where the parser gives up in other ways."""
    assert mutants("", text, 5) == []


@given(st.lists(st.sampled_from([line for line, _ in FAULTS]), min_size=1, max_size=8), st.data(), st.integers(1, 6))
def test_a_mutant_is_one_other_program(lines: list[str], data: st.DataObject, limit: int) -> None:
    """Readable, another program, other in one changed line only; the same ones each time, none twice, few enough."""
    kept = data.draw(st.sets(st.integers(0, len(lines) - 1)))
    after = "def f(a, b):\n" + "".join(f"    {line}\n" for line in lines)
    before = "def f(a, b):\n" + "".join(f"    {lines[number]}\n" for number in sorted(kept))
    found = mutants(before, after, limit)
    assert found == mutants(before, after, limit)
    assert len({mutant.text for mutant in found}) == len(found) <= limit
    for mutant in found:
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(after))
        other = [
            n
            for n, pair in enumerate(zip(after.split("\n"), mutant.text.split("\n"), strict=True), 1)
            if len({*pair}) > 1
        ]
        assert other == [mutant.line]
