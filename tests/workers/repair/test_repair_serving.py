"""The server that tries candidates: what it must see, cut off, clean up and put back."""

from __future__ import annotations

import os
import py_compile
import time
from pathlib import Path

import pytest

from tests.workers.repair.rig import place, served

BAD, GOOD = "def f():\n    return 1\n", "def f():\n    return 2\n"
TEST = "from m import f\n\n\ndef test_it():\n    assert f() == 2\n\n\ndef test_other():\n    assert f() > 0\n"
FILES = {"m.py": BAD, "tests/test_m.py": TEST}


def outcomes(found: list[dict[str, object]]) -> list[object]:
    return [row["outcome"] for row in found]


def test_sources_of_the_same_size_within_one_second_are_told_apart(tmp_path: Path) -> None:
    """Neither bytecode of the slot, which claims to be right unchecked, nor that of the candidate before is run."""
    where = place(tmp_path, FILES)
    slot = tmp_path / "scratch" / "slot"
    served(where, [BAD])
    py_compile.compile(str(slot / "m.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert outcomes(served(where, [GOOD, BAD, GOOD, BAD])) == ["passed", "failed", "passed", "failed"]
    assert not [path for path in slot.rglob("*.pyc") if "cpython" not in path.name]
    assert (slot / "m.py").read_text() == BAD


def test_what_hangs_ends_or_leaves_processes_is_cut_off(tmp_path: Path) -> None:
    """A loop is a hang, a process that dies is a crash, and what either started, in a session of its own, is gone."""
    away = (
        "import os, subprocess, time\n\n\ndef f():\n"
        "    child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"    open({str(tmp_path / 'pids')!r}, 'a').write(f'{{child.pid}}\\n')\n"
    )
    where = place(tmp_path, FILES)
    began = time.monotonic()
    texts = [
        f"{away}    while True:\n        pass\n",
        f"{away}    os._exit(3)\n",
        f"{away}    return 2\n",
        "x = (\n",
        GOOD,
    ]
    found = served(where, texts)
    assert outcomes(found) == ["hang", "crash", "passed", "failed", "passed"]
    assert 1.5 <= float(found[0]["seconds"]) < 10
    assert time.monotonic() - began < 60
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 3
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


def test_the_passing_tests_have_a_limit_of_their_own_and_a_say(tmp_path: Path) -> None:
    """What mends the red test and breaks a green one has failed; a slow suite does not lengthen a red test's limit."""
    where = place(tmp_path, FILES)
    texts = ["def f():\n    return 2 if f.__dict__.setdefault('n', []) == [] else 0\n", GOOD]
    minus = "class N(int):\n    def __gt__(self, other):\n        return False\n\n\ndef f():\n    return N(2)\n"
    found = served(where, [*texts, minus], passing=["tests/test_m.py::test_other"])
    assert outcomes(found) == ["passed", "passed", "failed"]
    assert [row["failing"] for row in found] == [0, 0, 1]


HOT = [0, len(BAD), 1, "", 0]


def test_a_function_is_changed_where_it_lives(tmp_path: Path) -> None:
    """Without importing the file again; what passes so must pass in its file too."""
    once = {**FILES, "m.py": BAD, "tests/test_m.py": "import os\nopen('imports', 'a').write('x')\n" + TEST}
    where = place(tmp_path, once)
    assert outcomes(served(where, [BAD, BAD, GOOD, BAD], part=HOT)) == ["failed", "failed", "passed", "failed"]
    assert (tmp_path / "scratch" / "slot" / "imports").read_text() == "xx"


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("def f(x=1):\n    return x\n", "def f(x=2):\n    return x\n"),
        (BAD, "def f(x=1):\n    return 1 + x\n"),
        (BAD, "@(lambda f: lambda: 2)\ndef f():\n    return 1\n"),
    ],
    ids=["default", "parameter", "decorator"],
)
def test_what_runs_when_a_function_is_defined_is_tried_in_its_file(bad: str, good: str, tmp_path: Path) -> None:
    """A living function can't be given another default or decorator: that it fails so says nothing."""
    where = place(tmp_path, {**FILES, "m.py": bad})
    assert outcomes(served(where, [bad, good], part=[0, len(bad), 1, "", 0])) == ["failed", "passed"]


def test_a_pass_that_only_a_living_function_gives_is_none(tmp_path: Path) -> None:
    """The table was made by the function as it was: with the change in the file, the test fails."""
    both = f"{BAD}\n\nWAS = f()\n"
    test = "from m import f, WAS\n\n\ndef test_it():\n    assert f() == 2 and WAS == 1\n"
    where = place(tmp_path, {"m.py": both, "tests/test_m.py": test})
    assert outcomes(served(where, [GOOD], part=HOT)) == ["failed"]


def test_the_search_stops_when_enough_candidates_pass(tmp_path: Path) -> None:
    """No candidate is tried after the wanted number has passed, and every one before them was."""
    where = place(tmp_path, FILES)
    found = served(where, [BAD, GOOD, BAD, GOOD, GOOD], want=2)
    assert [row["id"] for row in found] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "configure",
    [
        "from m import f\n",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
    ],
)
def test_what_conftest_sets_up_before_collection_is_never_stale(configure: str, tmp_path: Path) -> None:
    """Where configuration imports the changed file, or starts a thread, each candidate starts pytest anew."""
    where = place(tmp_path, {**FILES, "conftest.py": configure})
    assert outcomes(served(where, [BAD, GOOD, BAD, GOOD])) == ["failed", "passed", "failed", "passed"]


def test_options_that_would_leave_the_process_are_put_out(tmp_path: Path) -> None:
    """A suite that is set up to run in parallel is run in the candidate's own process."""
    where = place(tmp_path, {**FILES, "pytest.ini": "[pytest]\naddopts = -n 2\n"})
    slot = tmp_path / "scratch" / "slot"
    (slot / "tests").mkdir(parents=True)
    for name, text in {**FILES, "pytest.ini": "[pytest]\naddopts = -n 2\n"}.items():
        (slot / name).write_text(text)
    found = served(where, [BAD, GOOD])
    assert outcomes(found) == ["failed", "passed"]
