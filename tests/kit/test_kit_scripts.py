"""The scripts that run in the user's interpreter."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

KIT = Path(__file__).parents[2] / "agentloop" / "kit"
SCRIPTS = sorted(KIT.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_read_by_python_3_9(script: Path) -> None:
    """The oldest interpreter that is accepted parses each of them."""
    ast.parse(script.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_imports_the_standard_library_alone(script: Path) -> None:
    """But for pytest and coverage, which it is there to run."""
    imported = set()
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    own = {path.stem for path in SCRIPTS}
    assert imported <= sys.stdlib_module_names | {"pytest", "_pytest", "coverage"} | own


def launch(tmp_path: Path, test: str, **more: object) -> tuple[subprocess.CompletedProcess[bytes], dict[str, object]]:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "test_a.py").write_text(test)
    request = {
        "tree": str(tree), "targets": ["test_a.py"], "wanted": ["test_a.py"], "options": [], "canary": "",
        "cache": str(tmp_path / "cache"), "report": str(tmp_path / "report"), "nonce": "n0nce", **more,
    }  # fmt: skip
    place = tmp_path / "request"
    place.write_text(json.dumps(request))
    argv = [sys.executable, "-P", str(KIT / "pytest_launch.py"), str(place)]
    done = subprocess.run(argv, cwd=tree, capture_output=True, check=False, timeout=60)
    assert not place.exists()
    report = tmp_path / "report"
    return done, json.loads(json.loads(report.read_text())["body"]) if report.exists() else {}


OUTCOMES = """
import pytest, unittest
def test_passed(): pass
def test_failed(): assert 0
@pytest.fixture
def bad(): raise RuntimeError
@pytest.fixture
def late():
    yield
    raise RuntimeError
def test_setup(bad): pass
def test_teardown(late): pass
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_xfailed(): assert 0
@pytest.mark.xfail
def test_xpassed(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.xfail(run=False)
def test_not_run(): pass
@pytest.mark.parametrize("n", ["a::b", "[", "c"])
def test_many(n): assert n != "["
class TestSub(unittest.TestCase):
    def test_sub(self):
        for n in range(2):
            with self.subTest(n=n):
                self.assertEqual(n, 0)
"""


def test_each_outcome_is_told_apart(tmp_path: Path) -> None:
    """Setup and teardown that raise are errors, a strict surprise a failure, one bad subtest fails its test."""
    done, report = launch(tmp_path, OUTCOMES)
    assert done.returncode == report["exit"] == 1
    outcomes = {key.removeprefix("test_a.py::"): value for key, value in dict(report["outcomes"]).items()}  # type: ignore[call-overload]
    assert outcomes == {
        "test_passed": "passed",
        "test_failed": "failed",
        "test_setup": "error",
        "test_teardown": "error",
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_strict": "failed",
        "test_not_run": "xfailed",
        "test_many[a::b]": "passed",
        "test_many[[]": "failed",
        "test_many[c]": "passed",
        "TestSub::test_sub": "failed",
    }


def test_only_what_is_wanted_runs(tmp_path: Path) -> None:
    """A function stands for all its parameters, an id with parameters for itself."""
    wanted = ["test_a.py::test_many[c]", "test_a.py::TestSub", "test_a.py::test_passed"]
    _, report = launch(tmp_path, OUTCOMES, wanted=wanted)
    assert sorted(report["outcomes"]) == sorted([wanted[0], wanted[1] + "::test_sub", wanted[2]])  # type: ignore[call-overload]
    assert len(report["collected"]) == 13  # type: ignore[arg-type]


def test_the_nonce_is_out_of_reach_of_variables_and_arguments(tmp_path: Path) -> None:
    """What a test can look up without digging does not hold it."""
    test = (
        "import os, sys\n"
        "def test_look():\n"
        "    places = [repr(dict(os.environ)), repr(sys.argv), open('/proc/self/cmdline').read()]\n"
        "    assert not [place for place in places if 'n0nce' in place]\n"
    )
    assert launch(tmp_path, test)[1]["outcomes"] == {"test_a.py::test_look": "passed"}


@pytest.mark.parametrize(
    "trick",
    ["import os; os._exit(0)", "import os, signal; os.kill(os.getpid(), 9)", "import os\nif os.fork(): os._exit(0)"],
)
def test_a_process_that_ends_early_leaves_no_report(tmp_path: Path, trick: str) -> None:
    """Not even where a forked child goes on to the end."""
    assert launch(tmp_path, trick + "\ndef test_a(): pass\n")[1] == {}


def test_what_is_left_for_the_end_of_the_process_does_not_run(tmp_path: Path) -> None:
    """The report is the last thing that happens."""
    test = "import atexit\ndef test_a():\n    atexit.register(lambda: open('late', 'w').close())\n"
    _, report = launch(tmp_path, test)
    assert report["outcomes"] == {"test_a.py::test_a": "passed"}
    assert not (tmp_path / "tree" / "late").exists()


def test_the_tree_comes_first_on_the_path_as_under_python_m_pytest(tmp_path: Path) -> None:
    """Tests see the tree's root, and neither the kit nor a doubled root."""
    test = (
        "import os, sys\n"
        "def test_path():\n"
        f"    assert sys.path.count(os.getcwd()) == 1 and {str(KIT)!r} not in sys.path\n"
        "    assert sys.path.index(os.getcwd()) == 0\n"
    )
    assert launch(tmp_path, test)[1]["outcomes"] == {"test_a.py::test_path": "passed"}
