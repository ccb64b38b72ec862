"""The kind `pytest`: what passes, what fails, what could not run, and the tricks that must not work."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from tests.checks.plain_bench import PYTHON, Ground

SOURCE = {"shop.py": "def total(items):\n    return sum(items)\n"}
TESTS = {
    "tests/test_total.py": (
        "import pytest\nfrom shop import total\n\n"
        "def test_sum():\n    assert total([1, 2]) == 3\n\n"
        "def test_empty():\n    assert total([]) == 0\n\n"
        "@pytest.mark.skip\ndef test_later():\n    assert False\n\n"
        "@pytest.mark.xfail\ndef test_known():\n    assert False\n"
    )
}
IDS = [f"tests/test_total.py::test_{name}" for name in ("sum", "empty", "later", "known")]
EXPECTED = dict(zip(IDS, ("passed", "passed", "skipped", "skipped"), strict=True))
BROKEN = {"shop.py": "def total(items):\n    return sum(items) + 1\n"}


def spec(params: object = "tests", **more: object) -> CheckSpec:
    return CheckSpec(kind="pytest", params=params, **more)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def test_the_first_look_reports_every_outcome(ground: Ground) -> None:
    """Without expected ids the result holds what passed and what was skipped or failed as expected."""
    result = ground.take(spec(), {**SOURCE, **TESTS})
    assert result.status == "passed", result
    assert set(result.ids) == set(IDS[:2])
    assert set(result.skipped) == set(IDS[2:])
    assert result.strength == "visible"


def test_a_broken_source_fails_with_the_failing_ids(ground: Ground) -> None:
    """The ids that turned red are named, and nothing is said about a planted test."""
    result = ground.take(spec(), {**SOURCE, **TESTS}, BROKEN, expected=EXPECTED)
    assert (result.status, set(result.failing)) == ("failed", set(IDS[:2]))
    assert not result.timed_out
    assert {line for line in result.excerpt.splitlines() if "::" in line} <= {
        line for line in result.excerpt.splitlines() if "test_total.py" in line
    }


def test_expected_ids_pass_as_on_base(ground: Ground) -> None:
    """Skipped and xfailed ids may stay so where base had them so."""
    result = ground.take(spec(), {**SOURCE, **TESTS}, expected=EXPECTED)
    assert (result.status, result.reason) == ("passed", "")


def test_an_extra_failing_test_is_recorded_but_fails_no_guard(ground: Ground) -> None:
    """Only the expected ids decide; a test file that is not among them is not even run."""
    extra = {"tests/test_extra.py": "def test_no():\n    assert False\n"}
    assert ground.take(spec(), {**SOURCE, **TESTS}, extra, expected=EXPECTED).passed


CHEATS = {
    "exit at import": "import os\nos._exit(0)\n",
    "exit at the end": "import atexit, os\natexit.register(os._exit, 0)\n" + BROKEN["shop.py"],
    "skip all": "import unittest\nraise unittest.SkipTest('later')\n",
    "module skip": "import pytest\npytest.skip('later', allow_module_level=True)\n",
    "sys.exit": "import sys\nsys.exit(0)\n",
    "pytest.exit": "import pytest\npytest.exit('done', returncode=0)\n",
    "print": "import os\nprint('4 passed in 0.01s', flush=True)\nos._exit(0)\n",
    "skip inside": "import unittest\ndef total(items):\n    raise unittest.SkipTest('later')\n",
    "exit inside": "import os\ndef total(items):\n    os._exit(0)\n",
    "thread": "import os, threading\nthreading.Timer(0.01, os._exit, (0,)).start()\nimport time\ntime.sleep(1)\n",
    "fork": "import os, sys\nif os.fork():\n    os._exit(0)\n" + SOURCE["shop.py"],
    "signal": "import os\nos.kill(os.getpid(), 9)\n",
    "forged": (
        "import glob, json, os, sys\n"
        "for word in sys.argv:\n"
        "    if 'cache_dir=' in word:\n"
        "        place = word.split('cache_dir=')[1].replace('-cache', '-report')\n"
        "        body = json.dumps({'pytest': '9', 'why': '', 'exit': 0, 'started': True, 'collected': [],\n"
        "            'outcomes': dict.fromkeys(" + repr(IDS) + ", 'passed'), 'errors': {}, 'canary': 'failed'})\n"
        "        open(place, 'w').write(json.dumps({'body': body, 'seal': 'x' * 64}))\n"
        "os._exit(0)\n"
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.parametrize("expected", [EXPECTED, {}], ids=["guard", "accept"])
def test_no_trick_in_the_source_makes_tests_pass(ground: Ground, cheat: str, expected: dict[str, str]) -> None:
    """Ending the process, skipping, printing and forging a report are all seen as failed."""
    result = ground.take(spec(timeout=20), {**SOURCE, **TESTS}, {"shop.py": CHEATS[cheat]}, expected=expected)
    assert result.status == "failed", result
    assert not result.ids


CONFTESTS = {
    "deselect": "def pytest_collection_modifyitems(items):\n    del items[:]\n",
    "ignore": "collect_ignore_glob = ['*']\n",
    "skip": "import pytest\n@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip('no')\n",
    "raise": "raise RuntimeError('no')\n",
}


@pytest.mark.parametrize("name", CONFTESTS)
def test_a_root_conftest_that_leaves_tests_out_fails(ground: Ground, name: str) -> None:
    """Each expected id must be executed, whoever took it out."""
    result = ground.take(spec(), {**SOURCE, **TESTS}, {"conftest.py": CONFTESTS[name], **BROKEN}, expected=EXPECTED)
    assert result.status == "failed", result


DISARMED = {
    "runtest": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
    "report": (
        "import _pytest.reports\n_old = _pytest.reports.TestReport.from_item_and_call\n"
        "def new(item, call):\n    call.excinfo = None\n    return _old(item, call)\n"
        "_pytest.reports.TestReport.from_item_and_call = staticmethod(new)\n"
    ),
}


@pytest.mark.parametrize("name", DISARMED)
def test_a_disarmed_runner_is_tamper(ground: Ground, name: str) -> None:
    """Where code makes every test pass, the planted one passes too, and tells."""
    change = {"shop.py": DISARMED[name] + BROKEN["shop.py"]}
    result = ground.take(spec(), {**SOURCE, **TESTS}, change, expected=EXPECTED)
    assert result.status == "tamper", result


def test_a_file_of_the_tree_cannot_stand_in_for_pytest_or_a_plugin(ground: Ground) -> None:
    """pytest and its plugins come from the environment, even where the tree has modules of their names."""
    fake = "import os\nos._exit(0)\n"
    plants = {
        f"{name}.py": fake
        for name in ("pytest", "_pytest", "pluggy", "pytest_timeout", "xdist", "_hypothesis_pytestplugin")
    }
    result = ground.take(spec(), {**SOURCE, **TESTS}, plants, expected=EXPECTED)
    assert result.status == "passed", result


def test_a_fault_at_import_is_red_and_its_repair_green(ground: Ground) -> None:
    """What can't be collected is failing by its file; with nothing expected one passed test and no failure will do."""
    broken = {"shop.py": "raise ImportError('no')\n", **TESTS}
    red = ground.take(spec(), broken)
    assert (red.status, red.failing) == ("failed", ("tests/test_total.py",))
    for expected in ({}, {"tests/test_total.py": "failed"}):
        green = ground.take(spec(), broken, SOURCE, expected=expected)
        assert green.status == "passed", green


def test_a_missing_target_could_not_run(ground: Ground) -> None:
    """A file that is not there is an error that names it; one that a change took away is a failure."""
    absent = ground.take(spec("tests/test_none.py"), {**SOURCE, **TESTS})
    assert absent.status == "error"
    assert "no such file: tests/test_none.py" in absent.reason
    gone = ground.take(spec(), {**SOURCE, **TESTS}, {"tests/test_total.py": None}, expected=EXPECTED)
    assert gone.status == "failed"


def test_an_id_that_is_not_there_yet_is_red(ground: Ground) -> None:
    """Its file exists, the test does not: failed, under its id, and the tests beside it still run."""
    wanted = ["./tests/test_total.py::test_sum", "tests/test_total.py::test_new"]
    result = ground.take(spec(wanted), {**SOURCE, **TESTS})
    assert (result.status, result.failing) == ("failed", ("tests/test_total.py::test_new",))
    assert result.ids == (IDS[0],)


def test_k_and_m_choose_tests_on_the_first_look(ground: Ground) -> None:
    """`args` narrows what is run, and the planted test is not lost with the rest."""
    result = ground.take(spec({"ids": ["tests"], "args": ["-k", "sum"]}), {**SOURCE, **TESTS})
    assert (result.status, result.ids, result.strength) == ("passed", (IDS[0],), "visible")


def test_no_test_at_all_fails(ground: Ground) -> None:
    """An empty test file shows nothing."""
    result = ground.take(spec(), {"tests/test_none.py": ""})
    assert (result.status, result.reason) == ("failed", "no test was collected")


def test_a_hanging_test_times_out(ground: Ground) -> None:
    """The timeout is told apart from other failures."""
    result = ground.take(spec("test_a.py", timeout=3), {"test_a.py": "def test_a():\n    while True: pass\n"})
    assert (result.status, result.timed_out) == ("failed", True)


def test_output_that_is_not_utf8_hurts_nothing(ground: Ground) -> None:
    """Bytes are replaced in the excerpt."""
    text = "import os\ndef test_a():\n    os.write(1, b'\\xff\\xfe')\n    assert 0\n"
    assert ground.take(spec("test_a.py"), {"test_a.py": text}).status == "failed"


def test_an_interpreter_without_pytest_is_an_error_with_a_remedy(ground: Ground) -> None:
    """Not the tree's fault: the reason says what to install."""
    bare = Ground(ground.folder, python=replace(PYTHON, executable=os.path.realpath(sys.executable)))
    hidden = {"PYTHONNOUSERSITE": "1"}
    bare.python = replace(bare.python, environ=lambda tree: {**PYTHON.environ(tree), **hidden})
    shadow = ground.folder / "shadow"
    shadow.mkdir()
    (shadow / "pytest.py").write_text("raise ImportError('No module named pytest')\n")
    bare.python = replace(
        bare.python, environ=lambda tree: {"PYTHONPATH": f"{PYTHON.environ(tree)['PYTHONPATH']}:{shadow}"}
    )
    result = bare.take(spec(), {**SOURCE, **TESTS})
    assert result.status == "error"
    assert "-m pip install pytest" in result.reason


def test_an_interpreter_that_does_not_start_is_an_error(ground: Ground) -> None:
    """A check that can't run has not failed."""
    ground.python = replace(PYTHON, executable="/nowhere/python")
    assert ground.take(spec(), {**SOURCE, **TESTS}).status == "error"
    ground.python = replace(PYTHON, executable="/bin/false")
    assert ground.take(spec(), {**SOURCE, **TESTS}).status == "error"


def test_a_wrong_option_in_the_configuration_is_an_error_on_base(ground: Ground) -> None:
    """A missing plugin is the environment's fault, so no agent is sent to mend it."""
    result = ground.take(spec(), {**SOURCE, **TESTS, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"})
    assert (result.status, "no-such-option" in result.reason) == ("error", True)


SETTINGS = {
    "stop at first": "addopts = -x\n",
    "last failed first": "addopts = --lf\n",
    "no cache": "addopts = -p no:cacheprovider\n",
    "workers": "addopts = -n 2\n",
    "own names": "python_functions = check_* test_*\n",
    # pytest-asyncio, where it is installed, warns about a scope left unset
    "strict": "addopts = --strict-markers --strict-config\nfilterwarnings = error\ncache_dir = .cache\n"
    "asyncio_default_fixture_loop_scope = function\n",
    "plugin of the tree": "addopts = -p tests.plug\n",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_configuration_of_the_tree_holds(ground: Ground, name: str) -> None:
    """The verdict is by test whatever the configuration says about stopping, caching and workers."""
    files = {
        **SOURCE,
        **TESTS,
        "pytest.ini": "[pytest]\n" + SETTINGS[name],
        "tests/plug.py": "",
        "tests/__init__.py": "",
    }
    result = ground.take(spec(), files)
    assert (result.status, len(result.ids)) == ("passed", 2), result
    assert ground.take(spec(), files, BROKEN, expected=EXPECTED).status == "failed"


def test_a_stale_byte_code_file_is_not_what_runs(ground: Ground) -> None:
    """A planted .pyc in __pycache__ never replaces the source."""
    import importlib.util
    import py_compile

    good = ground.folder / "shop.py"
    good.write_text(SOURCE["shop.py"])
    cached = py_compile.compile(str(good), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    name = os.path.basename(importlib.util.cache_from_source("shop.py"))
    planted = {**BROKEN, f"__pycache__/{name}": Path(str(cached)).read_bytes()}
    assert ground.take(spec(), {**SOURCE, **TESTS}, planted, expected=EXPECTED).status == "failed"


def test_problems_name_what_is_wrong() -> None:
    """Options, paths that lead out and empty lists are refused; what is right has no problem."""
    check = KINDS["pytest"]
    for wrong in ([], "", "-x", "/abs", "../out", {"ids": "tests", "args": ["-p", "x"]}, {"idz": "tests"}, 3, [""],
                  {"ids": ["t"], "args": ["-k"]}, {"ids": ["t"], "args": "-k"}, None, ["a", "../b"]):  # fmt: skip
        assert check.problems(wrong), wrong
    for right in ("tests", ".", ["tests/a.py::T::test_x[a/../b]"], {"ids": "tests", "args": ["-k", "a", "-m", "b"]}):
        assert not check.problems(right), right
    assert check.files(["./tests/a.py::test_x", "tests/a.py", "b.py"]) == ["b.py", "tests/a.py"]


def test_red_is_turned_round_and_errors_are_not(ground: Ground) -> None:
    """`expect: red` passes on a failing test, fails on a passing one, and leaves an error an error."""
    files = {**SOURCE, **TESTS}

    def red(change: dict[str, str | bytes | None], path: str = "tests") -> CheckResult:
        return ground.take(spec(path, expect="red"), files, change)

    assert red({}).status == "failed"
    assert red({**BROKEN}).status == "passed"
    assert red({}, "tests/none.py").status == "error"
