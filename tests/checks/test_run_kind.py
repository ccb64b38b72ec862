"""The kind `run`: exit codes, commands that can't fail, JUnit reports."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.checks import KINDS
from agentloop.checks.junit_report import junit_outcomes
from agentloop.core.check import CheckSpec
from tests.checks.plain_bench import Ground

GOOD = '<testsuites><testsuite><testcase classname="a" name="x"/></testsuite></testsuites>'
BAD = '<testsuite><testcase classname="a" name="x"/><testcase classname="a" name="y"><failure/></testcase></testsuite>'


def spec(params: object, **more: object) -> CheckSpec:
    return CheckSpec(kind="run", params=params, **more)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.mark.parametrize(
    ("command", "status", "word"),
    [
        ("test -f a.txt", "passed", ""),
        ("exit 3", "failed", "exit code 3"),
        ("false; echo on", "failed", "exit code 1"),
        ("cat none.txt | wc -l", "failed", "exit code 1"),
        ("test -z $NO_SUCH_VARIABLE", "failed", "exit code 1"),
        ("kill -9 $$", "failed", "signal 9"),
        ("no-such-command-here", "error", "not found"),
        ("./a.txt", "error", "could not be executed"),
        ("printf '\\xff\\xfe'; exit 1", "failed", "exit code 1"),
    ],
)
def test_the_exit_code_decides(ground: Ground, command: str, status: str, word: str) -> None:
    """0 passes, 126 and 127 could not run, everything else failed; each step of the command counts."""
    result = ground.take(spec(command), {"a.txt": "hello"})
    assert (result.status, word in result.reason) == (status, True), result


def test_a_timeout_fails_and_says_so(ground: Ground) -> None:
    """A command that does not end is ended."""
    result = ground.take(spec("sleep 60", timeout=0.3), {})
    assert (result.status, result.timed_out, result.exit_code) == ("failed", True, None)


def test_the_excerpt_is_the_end_of_the_output(ground: Ground) -> None:
    """Of much output the last 2,000 characters are kept."""
    result = ground.take(spec("seq 1 5000; echo last >&2; exit 1"), {})
    assert result.excerpt.endswith("5000\nlast\n")
    assert len(result.excerpt) == 2_000


IDLE = ["true", ":", "exit 0", "exit", "/bin/true", "", "  ", "# only words", "echo ok", "make &"]


@pytest.mark.parametrize(
    "text",
    [
        *IDLE,
        *(f"make test || {end}" for end in IDLE[:5]),
        "make || echo no",
        "make; true;",
        "(make || true)",
        "{ make || true; }",
        "make ||true # on",
    ],
)
def test_a_command_that_cannot_fail_is_refused(text: str) -> None:
    """It would decide nothing."""
    assert KINDS["run"].problems(text)
    assert KINDS["run"].problems({"cmd": text})


@pytest.mark.parametrize(
    "text",
    [
        "make test",
        "a || b",
        "a && true",
        "npm test\necho done",
        "a; exit 1",
        "truely",
        "a | tee x",
        "diff <(a) <(b || true)",
        "grep 'a || true' # x",
    ],
)
def test_a_command_that_can_fail_is_taken(text: str) -> None:
    """Only the plain cases are refused; the rest shows on base."""
    assert not KINDS["run"].problems(text)


def test_wrong_parameters_are_named() -> None:
    """Each problem says what was found; a known key that was misspelt is offered."""
    assert "cmd" in KINDS["run"].problems({"cmb": "make"})[0]
    for wrong in (3, None, {"cmd": "make", "junit": "/abs.xml"}, {"cmd": "make", "junit": ""}, {"cmd": ["make"]}):
        assert KINDS["run"].problems(wrong), wrong


def test_a_check_with_problems_is_an_error_when_run(ground: Ground) -> None:
    """Nothing is started for a check that can't decide anything."""
    assert ground.take(spec("true"), {}).status == "error"


def test_scripts_and_tests_that_a_command_names_are_its_files() -> None:
    """They are protected; the program under test is not."""
    text = "sh tests/smoke.sh && ./check.py src/app.py | diff - ./expected/out.txt; node src/app.test.js -v /etc/ci/x"
    assert KINDS["run"].files(text) == ["check.py", "expected/out.txt", "src/app.test.js", "tests/smoke.sh"]
    assert KINDS["run"].files({"cmd": "it's 'unclosed tests/a.py"}) == ["tests/a.py"]


def junit(text: str, code: int = 0) -> CheckSpec:
    return spec({"cmd": f"printf %s {shlex.quote(text)} > out.xml; exit {code}", "junit": "out.xml"})


@pytest.mark.parametrize(
    ("text", "code", "expected", "status"),
    [
        (GOOD, 0, None, "passed"),
        (GOOD, 0, {"a::x": "failed"}, "passed"),
        (GOOD, 1, None, "failed"),
        (GOOD, 0, {"a::x": "passed", "a::gone": "passed"}, "failed"),
        (BAD, 0, None, "failed"),
        (BAD, 0, {"a::x": "passed"}, "failed"),
        ("<testsuite/>", 0, None, "failed"),
        ('<testsuite><testcase classname="a" name="x"><skipped/></testcase></testsuite>', 0, None, "failed"),
        ("not xml", 0, None, "failed"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + GOOD, 0, None, "failed"),
        (GOOD, 127, None, "error"),
    ],
)
def test_a_junit_report_decides_with_the_exit_code(
    ground: Ground, text: str, code: int, expected: dict[str, str] | None, status: str
) -> None:
    """Exit 0, a test that was executed, none that failed, and each expected id among the passed."""
    result = ground.take(junit(text, code), {}, expected=expected)
    assert result.status == status, result


def test_a_report_must_be_written_by_the_command(ground: Ground) -> None:
    """None at all, one that was there before, a link and a pipe are no reports."""
    missing = {"cmd": "test 1", "junit": "out.xml"}
    assert ground.take(spec(missing), {}).status == "failed"
    assert ground.take(spec(missing), {"out.xml": GOOD}).status == "error"
    (ground.folder / "good.xml").write_text(GOOD)
    for trick in (f"ln -s {ground.folder}/good.xml out.xml", "mkfifo out.xml", "mkdir out.xml"):
        assert ground.take(spec({"cmd": trick, "junit": "out.xml"}), {}).status == "failed", trick
    inward = {"cmd": "ln -s good.xml out.xml", "junit": "out.xml"}
    assert ground.take(spec(inward), {"good.xml": GOOD}).status == "failed"
    trick = f"ln -s {ground.folder} sub"
    assert ground.take(spec({"cmd": trick, "junit": "sub/good.xml"}), {}).status == "failed"


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"<testsuite>{text}</testsuite>".encode()))
def test_any_bytes_are_a_report_or_refused(data: bytes) -> None:
    """Reading a report raises nothing but ValueError."""
    try:
        outcomes = junit_outcomes(data)
    except ValueError:
        return
    assert set(outcomes.values()) <= {"passed", "failed", "error", "skipped"}


def test_of_two_cases_of_one_name_the_worse_counts() -> None:
    """A rerun that passed does not hide the failure."""
    text = (
        '<testsuite><testcase classname="a" name="x"><error/></testcase><testcase classname="a" name="x"/></testsuite>'
    )
    assert junit_outcomes(text.encode()) == {"a::x": "error"}


def test_repeat_takes_the_check_again_in_a_fresh_tree(ground: Ground) -> None:
    """What one run leaves behind is not there in the next; one that fails decides."""
    once = spec("test ! -e mark && touch mark", repeat=3)
    assert ground.take(once, {}).status == "passed"
    count = ground.folder / "count"
    flaky = spec(f"echo x >> {count}; test $(wc -l < {count}) -lt 3", repeat=5)
    result = ground.take(flaky, {})
    assert (result.status, result.reason) == ("failed", "run 3 of 5: exit code 1")
    assert len(count.read_text().splitlines()) == 3


def test_red_turns_the_answer_round(ground: Ground) -> None:
    """A failing command passes, a passing one fails, one that could not run stays an error."""
    found = [ground.take(spec(text, expect="red"), {}).status for text in ("test 1 = 2", "test 1 = 1", "no-such-cmd")]
    assert found == ["passed", "failed", "error"]
