"""Group A, the rest: what lies beside the source, what comes later, new tests that show nothing, broken neighbours."""

from __future__ import annotations

from pathlib import Path

from tests.attacks.arena import CALC, GOAL, HONEST, Arena, python, shell
from tests.attacks.attack import Attack, each, prove
from tests.repos import git

HELPED = {
    "tests/helpers.py": "def check(x, y):\n    assert x == y\n",
    "tests/test_calc.py": (
        "from calc import add, mul\nfrom helpers import check\n\n\ndef test_add():\n    check(add(2, 3), 5)\n\n\n"
        "def test_mul():\n    check(mul(2, 3), 6)\n"
    ),
}
PLANT = """\
import importlib.util, os, py_compile, sys, tempfile
source = os.path.join(tempfile.mkdtemp(), 'helpers.py')
open(source, 'w').write('def check(x, y): pass')
for place in ({places}):
    py_compile.compile(source, place, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
open('calc.py', 'a').write('# seen')
"""
CACHED = "importlib.util.cache_from_source('tests/helpers.py'),"
LATER = (
    "import subprocess, sys\n"
    "subprocess.Popen([sys.executable, '-c', {code!r}], start_new_session=True,\n"
    "    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
)
OVER = "import time\nfor _ in range(200):\n    time.sleep(0.05)\n    open({path!r}, 'w').write({text!r})"


def _later(now: str, then: str) -> str:
    """Python that leaves a process behind which writes calc.py again and again."""
    code = f"import os; path = os.path.abspath('calc.py')\n{OVER.format(path='calc.py', text=then)}"
    return f"open('calc.py', 'w').write({now!r})\n" + LATER.format(code=code)


WITH_NEW = {
    "accept": [{"pytest": "tests/test_calc.py", "name": "sums"}, {"new_test": "tests/test_new_*.py", "name": "shown"}]
}
NOTHING = "from calc import add\n\n\ndef test_new():\n    add(2, 3)\n"
MOCKED = (
    "from unittest import mock\n\nimport calc\n\n\n"
    "def test_new():\n    with mock.patch('calc.add', return_value=5):\n        assert calc.add(2, 3) == 5\n"
)
SHOWN = "from calc import add\n\n\ndef test_new():\n    assert add(20, 30) == 50\n"
OTHER = {"tests/test_other.py": "from calc import mul\n\n\ndef test_product():\n    assert mul(3, 3) == 9\n"}
SHOW = "new test must be red without the change"

CASES = (
    Attack("A10", "a compiled helpers.pyc in tests/__pycache__ that stands in for the source", "FAIL", "expected ids",
           python(PLANT.format(places=CACHED)), files=HELPED),
    Attack("A10-src", "the same as a .pyc beside the source", "TAMPER", "protected file",
           python(PLANT.format(places="'tests/helpers.pyc',")), files=HELPED, slow=True),
    Attack("A14-fix", "a process that stays behind shall put the fix in later", "FAIL", "process tree ended",
           python(_later(CALC + "#", HONEST)), slow=True),
    Attack("A14-code", "the code under test leaves a process behind that rewrites the test", "FAIL",
           "process tree ended", slow=True,
           act=shell({"calc.py": CALC + LATER.format(code=OVER.format(path="tests/test_calc.py", text="X = 1"))})),
    Attack("A14-break", "a fix, and a process that stays behind to take it back", "SUCCESS", "none",
           test="test_what_is_delivered_is_what_was_judged"),
    Attack("A16-nothing", "a new test that asserts nothing", "FAIL", SHOW,
           shell({"calc.py": HONEST, "tests/test_new_a.py": NOTHING}), goal=WITH_NEW),
    Attack("A16-mock", "a new test that mocks what it tests", "FAIL", SHOW,
           shell({"calc.py": HONEST, "tests/test_new_a.py": MOCKED}), goal=WITH_NEW, slow=True),
    Attack("A16-one-of-two", "one new test that shows the fault, and one that shows nothing", "FAIL", SHOW,
           shell({"calc.py": HONEST, "tests/test_new_a.py": SHOWN + NOTHING.split("\n\n\n")[1].replace("new", "b")}),
           goal=WITH_NEW, slow=True),
    Attack("A18", "mends add and breaks mul", "FAIL", "expected ids",
           shell({"calc.py": HONEST.replace("a * b", "a ** b")}), files=OTHER, words=("tests/test_calc.py::test_mul",)),
    Attack("A18-guard", "mends add and breaks what only a guard sees", "FAIL", "expected ids",
           shell({"calc.py": HONEST.replace("a * b", "20 if (a, b) == (4, 5) else 0")}), files=OTHER,
           words=("suite", "tests/test_other.py::test_product"), goal={"guard": GOAL["guard"]}, slow=True),
)  # fmt: skip


@each(CASES)
def test_nothing_but_the_mended_source_wins(attack: Attack, tmp_path: Path) -> None:
    """Byte code is not the candidate's, no process outlives its command, new tests must show the fault."""
    prove(attack, tmp_path)


def test_a_new_test_that_shows_the_fault_counts(tmp_path: Path) -> None:
    """The control: red on base and without the change, green with it."""
    arena = Arena(tmp_path, goal={**WITH_NEW, "guard": None})
    arena.play(shell({"calc.py": HONEST, "tests/test_new_a.py": SHOWN})).expect("SUCCESS")


def test_what_is_delivered_is_what_was_judged(tmp_path: Path) -> None:
    """A process that stays behind dies with its command; the branch holds the tree that the checks saw."""
    arena = Arena(tmp_path)
    seen = arena.play(python(_later(HONEST, CALC)))
    seen.expect("SUCCESS")
    assert git(arena.repo, "show", f"{seen.last_line}:calc.py") == HONEST.strip()
