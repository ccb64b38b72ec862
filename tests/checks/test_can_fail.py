"""A bare test command on base must have tests to run, and turn red where they are made to fail."""

from __future__ import annotations

import shutil

import pytest

from agentloop.checks.can_fail import RUNNERS
from agentloop.core.check import CheckResult, CheckSpec
from tests.checks.plain_bench import Ground
from tests.repos import QUICK

UNIT = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        pass\n"
PLAIN = "import pytest\n\n\n@pytest.mark.parametrize('n', [1])\ndef test_n(n, tmp_path):\n    assert n\n"
SKIPPED = UNIT.replace("    def test_a", "    @unittest.skip('x')\n    def test_a")
TREE = {"pytest.ini": QUICK, "src.py": "def test_connection():\n    return 1\n"}
JS = "const test = require('node:test');\ntest('a', () => {});\n"


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"))


def take(ground: Ground, command: str, files: dict[str, str]) -> CheckResult:
    return ground.take(CheckSpec(kind="run", params=command), {**TREE, **files})


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("python -m unittest", {"test_a.py": UNIT}),
        ("python -m unittest -q test_a.TestA.test_a && echo fine", {"test_a.py": UNIT}),
        ("python -m unittest discover -s checks -p 'check*.py' -k test_a", {"checks/check_a.py": UNIT}),
        ("python -m pytest -q tests/test_a.py", {"tests/test_a.py": PLAIN}),
        ("if python -m pytest -q; then echo ok; else exit 3; fi", {"tests/test_a.py": UNIT}),
        ("test -f pytest.ini", {}),
        ("grep -q addopts pytest.ini", {}),
    ],
)
def test_a_command_that_would_notice_is_taken(ground: Ground, command: str, files: dict[str, str]) -> None:
    """It is green on base, and red in the copy; a command that starts no known runner is left alone."""
    result = take(ground, command, files)
    assert (result.status, result.reason) == ("passed", "")


NONE, SWALLOWED = "it runs nothing", "it passes also where"
VACUOUS = [
    ("python -m unittest discover -s empty -t . || test 1", {"empty/__init__.py": ""}, SWALLOWED),
    ("python -m unittest test_a || test 1", {"test_a.py": "x = 1\n", "tests/test_b.py": UNIT}, SWALLOWED),
    ("if python -m pytest -q; then true; fi", {"test_a.py": PLAIN}, SWALLOWED),
    ("(python -m unittest || true) && test -f src.py", {"test_a.py": UNIT}, SWALLOWED),
    ("python -m pytest -q --collect-only", {"test_a.py": PLAIN}, SWALLOWED),
    ("sh -c 'python -m unittest; exit 0'", {"test_a.py": UNIT}, SWALLOWED),
    ("! python -m unittest nothing", {"src.py": "", "nothing_else.py": ""}, NONE),
]
if shutil.which("node"):
    VACUOUS.append(("node --test", {"lib.js": "exports.a = 1;\n"}, NONE))
    VACUOUS.append(("node --test || :; test 1", {"a.test.js": JS}, SWALLOWED))


@pytest.mark.parametrize(("command", "files", "word"), VACUOUS)
def test_a_command_that_would_notice_nothing_is_an_error(
    ground: Ground, command: str, files: dict[str, str], word: str
) -> None:
    """No test at all, the failure swallowed, nothing executed: preflight refuses what is an error."""
    result = take(ground, command, files)
    assert (result.status, word in result.reason) == ("error", True), result


def test_it_is_asked_on_base_only(ground: Ground) -> None:
    """What base has shown is not tried again on every tree."""
    spec = CheckSpec(kind="run", params="python -m unittest test_a || exit 0; test 1")
    assert ground.take(spec, {**TREE, "test_a.py": SKIPPED}).status == "error"
    assert ground.take(spec, {**TREE, "test_a.py": SKIPPED}, {"src.py": ""}).passed


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("pytest -q", "Python's tests"),
        ("cd a; CI=1 .venv/bin/py.test -x", "Python's tests"),
        ("timeout 60 python -m unittest", "Python's tests"),
        ("coverage run -m pytest", "Python's tests"),
        ("node --experimental-x --test test/", "node's tests"),
        ("npx jest", "node's tests"),
        ("go test ./... -run TestA", "Go's tests"),
        ("set -x\ncargo +stable test --lib", "Rust's tests"),
        ("cargo nextest run", "Rust's tests"),
        ("! grep -rn pytest src", ""),
        ("./run_unittest.sh", ""),
        ("node app.js --testing", ""),
        ("cargo build", ""),
        ("make test", ""),
    ],
)
def test_a_runner_is_known_by_where_its_name_stands(command: str, name: str) -> None:
    """As the program that is started, not as an argument."""
    assert [runner.name for runner in RUNNERS if runner.words.search(command)] == ([name] if name else [])


def test_the_tests_of_go_and_rust_are_made_to_fail_one_by_one() -> None:
    """So that a filter by name still finds them."""
    go = b"package a\n\nfunc TestA(t *testing.T) {\n\tx()\n}\n\nfunc helper(t *testing.T) {}\n"
    rust = b"#[test]\n#[should_panic]\nfn a() { b() }\n\n#[tokio::test]\nasync fn c() -> R {\n}\nfn d() {}\n"
    spoiled = {runner.name: runner.spoil for runner in RUNNERS}
    assert spoiled["Go's tests"](go).count(b't.Fatal("planted') == 1
    assert spoiled["Go's tests"](go).startswith(b'package a\n\nfunc TestA(t *testing.T) { t.Fatal("')
    text = spoiled["Rust's tests"](rust)
    assert text.count(b'{ panic!("planted') == 2
    assert b"fn d() {}" in text
