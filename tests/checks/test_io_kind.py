"""`io`: a program's output on given inputs, and a function's answers, compared where no candidate can reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.host.bench import Benches
from agentloop.host.python import find_python
from agentloop.host.sandbox import choose
from agentloop.host.workspace import DiskWorkspace
from tests.checks.plain_bench import KIT, Ground
from tests.fakes import FakeBlobs, tree_of

SUM = "import sys\nprint(sum(map(int, sys.argv[1:] + sys.stdin.read().split())))\n"
RIGHT = "def add(a, b):\n    return a + b\n"
CHEAT = "def add(a, b):\n    return {(2, 3): 5, (-2, -3): -5}.get((a, b), 0)\n"


def take(folder: Path, params: Any, files: dict[str, str | bytes], **more: Any) -> CheckResult:
    spec = CheckSpec(kind="io", params=params, timeout=more.pop("limit", 60.0))
    assert KINDS["io"].problems(params) == []
    return Ground(folder).take(spec, files, **more)


def printed(folder: Path, program: str, **case: Any) -> CheckResult:
    """What one case says of a program in Python; keys of the check itself are told by their names."""
    params = {key: case.pop(key) for key in ("compare", "tolerance", "timeout") if key in case}
    return take(folder, {"run": ["python", "p.py"], "cases": [case], **params}, {"p.py": program})


def answered(folder: Path, program: str, **case: Any) -> CheckResult:
    return take(folder, {"call": "p:f", "cases": [case]}, {"p.py": program})


def test_each_case_is_an_id_and_a_wrong_one_says_where_it_differs(tmp_path: Path) -> None:
    """Arguments and standard input reach the program; named and numbered cases are the result's ids."""
    cases = [
        {"name": "two", "args": ["2", "3"], "stdout": "5\n"},
        {"stdin": "4 5\n", "args": ["1"], "stdout": "10"},
        {"name": "wrong", "args": ["1"], "stdout": "2"},
    ]
    result = take(tmp_path, {"run": "python p.py", "cases": cases}, {"p.py": SUM})
    assert (result.status, result.ids, result.failing) == ("failed", ("case 2", "two"), ("wrong",))
    assert result.reason == "1 of 3 cases: wrong: stdout: line 1: expected '2', found '1'"
    assert result.strength == "out-of-process"
    assert take(tmp_path / "b", {"run": "python p.py", "cases": cases[:2]}, {"p.py": SUM}).passed


def test_only_expected_cases_are_taken_and_each_of_them_counts(tmp_path: Path) -> None:
    """A guard holds what passed on base: other cases are left alone, one that is gone has failed."""
    cases = [{"name": "good", "args": ["1"], "stdout": "1"}, {"name": "bad", "args": ["1"], "stdout": "7"}]
    params = {"run": "python p.py", "cases": cases}
    held = take(tmp_path, params, {"p.py": SUM}, expected={"good": "passed"})
    assert (held.status, held.ids) == ("passed", ("good",))
    lost = take(tmp_path / "b", params, {"p.py": SUM}, expected={"good": "passed", "gone": "passed"})
    assert (lost.status, lost.failing) == ("failed", ("gone",))


COMPARED = [
    ("lines", "a \nb\n\n", "a\nb", ""),
    ("lines", "a\nb", "a\nc", "line 2: expected 'c', found 'b'"),
    ("lines", "a\nb\nc", "a\nb", "line 3: expected the end, found 'c'"),
    ("lines", "", "a", "line 1: expected 'a', found the end"),
    ("lines", " a", "a", "expected 'a', found ' a'"),
    ("exact", "a\n", "a", "line 1: expected 'a', found 'a\\n'"),
    ("exact", "a\n", "a\n", ""),
    ("unordered", "b\na", "a\nb\n", ""),
    ("unordered", "b\nb\na", "a\na\nb", "sorted line 2: expected 'a', found 'b'"),
    ("json", '{"b": [1, 2.0], "a": null}', '{"a": null, "b": [1, 2]}', ""),
    ("json", '{"b": true}', {"b": 1}, "b: expected 1, found true"),
    ("json", "[1]", "[1, 2]", "expected 2 items, found 1"),
    ("json", '{"a": {"b": [0, "x"]}}', {"a": {"b": [0, "y"]}}, 'a.b[1]: expected \'y\', found \'x\''),
    ("json", '{"a": 1, "a": 1}', {"a": 1}, "key 'a' occurs twice"),
    ("json", "NaN", "[]", "NaN is not JSON"),
    ("json", "{}", {"a": 1}, "key 'a' is missing"),
    ("numbers", "x 1.0000000001  -2e3", "x 1 -2000", ""),
    ("numbers", "1.1", "1", "word 1: expected '1', found '1.1'"),
    ("numbers", "nan", "1", "word 1"),
    ("numbers", "1 2", "1", "word 2: expected the end, found '2'"),
]  # fmt: skip


@pytest.mark.parametrize(("compare", "out", "expected", "why"), COMPARED)
def test_ways_of_comparing(tmp_path: Path, compare: str, out: str, expected: Any, why: str) -> None:
    """Each says where the two sides first differ, or passes."""
    result = printed(tmp_path, f"import sys; sys.stdout.write({out!r})", compare=compare, stdout=expected)
    assert result.status == ("failed" if why else "passed"), result.reason
    assert why in result.reason


ENDS = [
    ("print('ok'); raise SystemExit(3)", {"stdout": "ok"}, "failed", "expected exit code 0, found exit code 3"),
    ("print('ok'); raise SystemExit(3)", {"stdout": "ok", "exit": 3}, "passed", ""),
    ("pass", {"exit": 2}, "failed", "expected exit code 2, found exit code 0"),
    ("import os; print('ok', flush=True); os.kill(os.getpid(), 9)", {"stdout": "ok"}, "failed", "signal 9"),
    ("import sys; sys.exit('bad input')", {"exit": 1, "stderr": "bad input"}, "passed", ""),
    ("import sys; sys.exit('worse')", {"exit": 1, "stderr": "bad"}, "failed", "stderr: line 1: expected 'bad'"),
    ("import time; time.sleep(60)", {"exit": 0, "timeout": 0.3}, "failed", "timed out"),
    ("import sys; sys.stdout.buffer.write(b'\\xff')", {"stdout": "\ufffd"}, "failed", "line 1"),
    ("print(open('in.txt').read())", {"files": {"in.txt": "x\r\ny"}, "stdout": "x\ny"}, "passed", ""),
    ("pass", {"files": {"p.py": "x"}, "exit": 0}, "error", "something of that name is in the tree"),
]


@pytest.mark.parametrize(("program", "case", "status", "why"), ENDS)
def test_how_a_program_ends_counts(tmp_path: Path, program: str, case: dict[str, Any], status: str, why: str) -> None:
    """The expected output with another exit code, by a signal or too late is not the expected answer."""
    result = printed(tmp_path, program, **case)
    assert (result.status, why in result.reason) == (status, True), result.reason


def test_a_program_that_is_not_there_can_not_be_judged(tmp_path: Path) -> None:
    """As words and as a shell's text."""
    for run in (["no-such-program"], "no-such-program"):
        result = take(tmp_path / str(len(run)), {"run": run, "cases": [{"exit": 1}]}, {"a": ""})
        assert result.status == "error"


def test_cases_do_not_see_each_other(tmp_path: Path) -> None:
    """Each has a fresh tree: what the one left there is gone for the next."""
    program = "import os; print(os.path.exists('seen')); open('seen', 'w')"
    case = {"stdout": "False"}
    result = take(tmp_path, {"run": ["python", "p.py"], "cases": [case, case]}, {"p.py": program})
    assert (result.status, result.ids) == ("passed", ("case 1", "case 2"))


def test_cases_may_lie_in_the_tree_where_the_program_does_not_find_them(tmp_path: Path) -> None:
    """A file or a folder of pairs; both are protected, and both are away while the program runs."""
    spy = "import os, sys; print(sys.stdin.read().strip() if not os.path.exists('cases') else 'seen')"
    pairs = {"cases/one.in": "1\n", "cases/one.out": "1\n", "cases/two.in": "2", "cases/two.out": "3"}
    params = {"run": ["python", "p.py"], "cases": "cases"}
    result = take(tmp_path, params, {"p.py": spy, **pairs})
    assert (result.ids, result.failing) == (("one",), ("two",))
    assert KINDS["io"].files(params) == ["cases"]
    listed = {"run": "python p.py", "cases": "c.json"}
    text = json.dumps([{"stdin": "x", "stdout": "x"}])
    assert take(tmp_path / "b", listed, {"p.py": spy, "c.json": text}).passed
    assert take(tmp_path / "c", {**listed, "cases": "c.yaml"}, {"p.py": spy, "c.yaml": "- {stdin: x, exit: 0}"}).passed
    for name, broken, why in (
        ("c.json", "{}", "a list of cases is wanted"),
        ("c.json", "[1", "not JSON"),
        ("c.yaml", "- {exit: 0, exit: 1}", "key 'exit' occurs twice"),
        ("c.yaml", "- {stdin: x}", "it expects nothing"),
        ("c.yaml", "- &a {exit: 0}\n- *a", "aliases are refused"),
        ("other", "", "no such file: c.yaml"),
    ):
        result = take(tmp_path / f"{name}{why[:9]}", {**listed, "cases": "c.yaml" if name == "other" else name},
                      {"p.py": spy, name: broken})  # fmt: skip
        assert (result.status, why in result.reason) == ("error", True), result.reason


RETURNS = [
    ("def f(a, b=1): return [a, {'b': b}]", {"args": [1], "kwargs": {"b": 2}, "returns": [1, {"b": 2}]}, ""),
    ("def f(): return (1, 2.0)", {"returns": [1, 2]}, ""),
    ("def f(): return True", {"returns": 1}, "expected 1, found true"),
    ("def f(): return 0.1 + 0.2", {"returns": 0.3}, "expected 0.3, found 0.30000000000000004"),
    ("class N(int):\n  __eq__ = lambda s, o: True\ndef f(): return N(7)", {"returns": 5}, "an object of type N"),
    ("class A:\n  __eq__ = lambda s, o: True\ndef f(): return A()", {"returns": 5}, "an object of type A"),
    ("def f(): return [{1: 2}]", {"returns": [{"1": 2}]}, "a key of type int"),
    ("def f(): return float('nan')", {"returns": None}, "the number nan"),
    ("def f(): raise KeyError('x')", {"raises": "LookupError"}, ""),
    ("def f(): raise KeyError('x')", {"raises": "ValueError"}, "expected ValueError, found it raised KeyError: 'x'"),
    ("def f(): raise KeyError('x')", {"returns": 1}, "it raised KeyError: 'x'"),
    ("def f(): return 3", {"raises": "ValueError"}, "expected ValueError, found 3"),
    ("import os\ndef f(): os._exit(0)", {"returns": 1}, "it ended without an answer (exit code 0)"),
    ("import sys\ndef f(): sys.exit(0)", {"returns": 1}, "it raised SystemExit"),
    ("import nowhere\ndef f(): return 1", {"returns": 1}, "can't import p:f: ModuleNotFoundError"),
    ("g = 1", {"raises": "AttributeError"}, "can't import p:f: AttributeError"),
    ("def f():\n  x = []\n  x.append(x)\n  return x", {"returns": []}, "nested too deep"),
]


@pytest.mark.parametrize(("program", "case", "why"), RETURNS)
def test_what_a_function_answers_is_compared_as_plain_json(
    tmp_path: Path, program: str, case: dict[str, Any], why: str
) -> None:
    """No object of the tree takes part in the comparison, so none can claim to be equal."""
    result = answered(tmp_path, program, **case)
    assert result.status == ("failed" if why else "passed"), result.reason
    assert why in result.reason


def test_a_function_that_knows_the_known_cases_fails_on_another(tmp_path: Path) -> None:
    """Special-casing what the visible tests ask; the honest function passes."""
    cases = [{"args": [2, 3], "returns": 5}, {"args": [20, 3], "returns": 23}]
    params = {"call": "shop.calc:add", "cases": cases}
    tree = {"src/shop/__init__.py": "", "src/shop/calc.py": CHEAT}
    result = take(tmp_path, params, dict(tree))
    assert (result.ids, result.failing) == (("case 1",), ("case 2",))
    assert take(tmp_path / "b", params, {**tree, "src/shop/calc.py": RIGHT}).passed


def test_what_is_expected_never_reaches_the_process(tmp_path: Path) -> None:
    """Neither as a file, an argument or a variable, nor in the kit's own memory."""
    spy = (
        "import gc, os, sys\n"
        "def f():\n"
        "    told = [repr(sys.argv), repr(dict(os.environ)), repr([o for o in gc.get_objects() if type(o) is dict])]\n"
        "    for top in ('.', '..'):\n"
        "        for folder, _, names in os.walk(top):\n"
        "            told += [open(os.path.join(folder, n), errors='replace').read() for n in names]\n"
        "    return 'canary' + '-4711' in ''.join(told)\n"
    )
    result = answered(tmp_path, spy, returns="canary-4711")
    assert result.reason.endswith("expected 'canary-4711', found false")


def test_a_flood_and_a_changed_file_in_a_real_sandbox(tmp_path: Path) -> None:
    """Of a flood only the ends are kept, so it can't be compared; a program that rewrites the tree tampers."""
    files = {"flood.py": b"for _ in range(300): print('x' * 1000)", "write.py": b"open('flood.py', 'w')"}
    blobs = FakeBlobs()
    base = tree_of(blobs, files)
    python = find_python(None, None, {})
    benches = Benches(choose("none"), DiskWorkspace(blobs, base, tmp_path / "work"), python, KIT, ())
    results = []
    for name in files:
        spec = CheckSpec(kind="io", params={"run": ["python", name], "cases": [{"stdout": "x"}]})
        with benches.open(base) as bench:
            results.append(KINDS["io"].run(spec, bench))
    assert [result.status for result in results] == ["failed", "tamper"]
    assert "stdout: 300300 bytes were printed, too many to compare" in results[0].reason
    assert "'flood.py' was changed" in results[1].reason


WRONG = [
    ({}, "exactly one of run and call is wanted"),
    ("tests", "io wants a map"),
    ({"run": "p", "call": "a:b"}, "exactly one of run and call"),
    ({"run": "p"}, "cases must be a list of cases"),
    ({"run": "p", "cases": []}, "0 cases"),
    ({"run": "", "cases": [{"exit": 0}]}, "the command is empty"),
    ({"run": [1], "cases": [{"exit": 0}]}, "run must be a list of texts"),
    ({"call": "a.b", "cases": [{"returns": 1}]}, "call must be MODULE:FUNCTION"),
    ({"run": "p", "cases": [{"args": ["1"]}]}, "case 1: it expects nothing, so it can't fail"),
    ({"call": "a:b", "cases": [{"args": [1]}]}, "exactly one of returns and raises"),
    ({"run": "p", "cases": [{"stdout": 5}]}, "stdout must be text; found 5; put it in quotes"),
    ({"run": "p", "cases": [{"args": [5], "exit": 0}]}, "args must be a list of texts (numbers in quotes)"),
    ({"run": "p", "cases": [{"stdot": "x", "exit": 0}]}, "unknown key 'stdot'; did you mean 'stdout'?"),
    ({"run": "p", "cases": [{"exit": 256}]}, "exit must be a whole number from 0 to 255"),
    ({"run": "p", "cases": [{"exit": 0, "files": {"../a": "x"}}]}, "without '..'"),
    ({"run": "p", "cases": [{"name": "a", "exit": 0}, {"name": "a", "exit": 0}]}, "the name 'a' is given to two"),
    ({"run": "p", "cases": ["x"]}, "a case is a map"),
    ({"run": "p", "cases": [{"exit": 0}], "compare": "fuzzy"}, "compare must be one of exact, lines"),
    ({"run": "p", "cases": [{"exit": 0}], "timeout": 0}, "timeout must be a number above 0"),
    ({"run": "p", "cases": [{"stdout": "{"}], "compare": "json"}, "stdout: not JSON"),
    ({"call": "a:b", "cases": [{"returns": 1}], "compare": "lines"}, "compare is for run"),
    ({"run": "p", "cases": "../x.json"}, "without '..'"),
    ({"run": "p", "cases": [{"stdout": "x" * 120_001}]}, "at most 120000"),
]


@pytest.mark.parametrize(("params", "why"), WRONG)
def test_wrong_parameters_are_told(params: Any, why: str) -> None:
    """In plain words, with the case's name."""
    assert why in "; ".join(KINDS["io"].problems(params))
