"""The kind `evidence`: what a finding quotes must be printed again by the command that it cites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.checks import KINDS
from agentloop.checks.quoted import found_in, quoted_lines
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.normal import steady
from agentloop.core.task import Finding
from agentloop.tools.command_policy import refusal
from tests.checks.plain_bench import Ground

LOG = "12:00:01 order=1 charged=0.00\n12:00:02 order=2 charged=5.00\n12:00:09 order=3 charged=0.00\n"
TREE = {"app.log": LOG, "count.txt": "3\n", "slow.py": "import time\ntime.sleep(60)\n", "writes.py": ""}
TREE["writes.py"] = "from pathlib import Path\nPath('count.txt').write_text('9')\nprint('count is nine now')\n"
TREE["stamped.py"] = (
    "import os, time\nprint(f'in {os.getcwd()}/app.log at {time.time_ns()}'[:-19] + hex(id(os)))\n"
    "print(f'3 passed in 0.{time.time_ns() % 1000:03}s, pid {os.getpid()}')\n"
)
COMMANDS = ("grep *", "cat *", "echo *", "python *", "tail *", "find *")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"))


def take(ground: Ground, *findings: tuple[str, str], params: object = None, timeout: float = 20.0) -> CheckResult:
    found = tuple(Finding(text="something", command=command, output=output) for command, output in findings)
    spec = CheckSpec(kind="evidence", params=params, timeout=timeout)
    return ground.take(spec, TREE, findings=found, refusal=lambda argv: refusal(argv, COMMANDS))


GREP = ("grep charged=0.00 app.log", "12:00:01 order=1 charged=0.00\n12:00:09 order=3 charged=0.00\n")


@pytest.mark.parametrize(
    "finding",
    [
        GREP,
        ("grep -n 'charged=0.00' app.log", "3:12:00:09 order=3"),
        ("grep charged=0.00 app.log", "exit code 0\n--- stdout\n  12:00:01   order=1 charged=0.00\n…\n"),
        ("cat count.txt", "3"),
        ("grep order=1 app.log missing.log", "order=1 charged=0.00\ngrep: missing.log: No such file or directory"),
        ("python stamped.py", "in /elsewhere/tree-1/app.log at 0x7fffdeadbeef\n3 passed in 4.51s, pid 7"),
    ],
)
def test_a_finding_that_prints_again_is_borne_out(ground: Ground, finding: tuple[str, str]) -> None:
    """Whole lines or pieces, with the frame of the run tool, of stderr too, and whatever the clock says."""
    result = take(ground, finding)
    assert (result.status, result.reason) == ("passed", "")
    assert result.ids == (finding[0],)


@pytest.mark.parametrize(
    ("finding", "word"),
    [
        (("grep charged=0.00 app.log", "12:00:02 order=2 charged=0.00"), "does not print"),
        (("grep charged= app.log", "order=3 charged=0.00\norder=1 charged=0.00"), "does not print 'order=1"),
        (("cat count.txt", "4"), "does not print '4'"),
        (("cat app.log", "5"), "does not print '5'"),
        (("cat count.txt", ""), "quotes nothing"),
        (("cat count.txt", "exit code 0\n--- stdout\n...\n----"), "quotes nothing"),
        (("", "3"), "cites no command"),
        (("cat 'count.txt", "3"), "can't be read"),
        (("cat count.txt | head -1", "3"), "there is no shell"),
        (("cat count.txt 2>/dev/null", "3"), "there is no shell"),
        (("rm count.txt", "removed"), "not allowed"),
        (("./count.txt", "3"), "not allowed"),
        (("find . -delete", "nothing"), "-delete is not allowed"),
        (("echo the cause is the cache", "the cause is the cache"), "the same in an empty folder"),
        (("python -c \"print('it')\"", "it"), "the same in an empty folder"),
        (("python writes.py", "count is nine now"), "the command changed 'count.txt'"),
    ],
)
def test_a_finding_that_is_not_borne_out_fails_with_the_reason(
    ground: Ground, finding: tuple[str, str], word: str
) -> None:
    """What is invented, reordered, cut to nothing, or would be printed anywhere shows nothing."""
    result = take(ground, finding, ("cat count.txt", "3"))
    assert result.status == "failed"
    assert result.reason.startswith("finding 1: ")
    assert word in result.reason, result.reason
    assert result.ids == ("cat count.txt",)
    assert result.seen == ("`cat count.txt` prints:\n3",)


def test_the_fact_is_what_code_saw_not_what_was_quoted(ground: Ground) -> None:
    """A time that was misquoted is not carried on."""
    result = take(ground, ("tail -n 1 app.log", "23:59:59 order=3 charged=0.00"))
    assert result.seen == ("`tail -n 1 app.log` prints:\n12:00:09 order=3 charged=0.00",)


def test_one_command_leaves_nothing_for_the_next(ground: Ground) -> None:
    """Each finding is looked at in a tree of its own."""
    plant = ("python -c \"open('planted.txt', 'w').write(open('count.txt').read() + 'x'); print('planted in 3')\"", "x")
    result = take(ground, plant, ("cat planted.txt", "3"))
    assert len(result.failing) == 2
    assert "No such file" in result.reason


def test_time_is_counted_over_all_commands(ground: Ground) -> None:
    """The first takes it all, the next is not begun."""
    result = take(ground, ("python slow.py", "done"), ("cat count.txt", "3"), timeout=0.5)
    assert "timed out" in result.reason
    assert "0.5 s were over" in result.reason


def test_how_many_and_of_what(ground: Ground) -> None:
    """`min` counts findings; `pattern` must match in a line that was printed again."""
    assert take(ground, GREP, params="2").reason.startswith("1 findings; wanted 2 to 20")
    assert take(ground, params={}).status == "failed"
    assert take(ground, *[GREP] * 21).status == "failed"
    assert take(ground, GREP, params={"min": 1, "pattern": r"order=\d charged=0\.00$"}).passed
    assert take(ground, GREP, params={"pattern": "something"}).reason == "no quoted line matches 'something'"
    assert "too long" in take(ground, GREP, params={"pattern": r"(.*.*)*(.*.*)*\d!"}, timeout=2).reason


def test_without_an_artifact_it_is_an_error(ground: Ground) -> None:
    """A goal has no findings."""
    assert ground.take(CheckSpec(kind="evidence"), TREE).status == "error"


def test_wrong_parameters_are_named() -> None:
    """Each says what was found."""
    problems = KINDS["evidence"].problems
    assert [problems(good) for good in (None, "", {}, 1, "20", {"min": "2"}, {"pattern": "a"})] == [[]] * 7
    for wrong in (0, 21, True, "many", [], {"mim": 1}, {"min": "x"}, {"pattern": "("}, {"pattern": "x*"}, {"min": 1.5}):
        assert problems(wrong), wrong
    assert "did you mean 'min'" in problems({"mim": 1})[0]


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8), st.data())
def test_lines_taken_out_of_an_output_are_found_in_it(printed: list[str], data: st.DataObject) -> None:
    """Any selection in order, and none that holds a line which is not there."""
    lines = quoted_lines("\n".join(printed))
    kept = [line for line in lines if data.draw(st.booleans())]
    assert found_in(kept, lines)[1] == ""
    strange = "a line that nobody prints"
    assert found_in([*kept, strange], lines)[1] == strange


def test_only_what_changes_by_itself_is_left_out() -> None:
    """Times, addresses and folders; counts and amounts stay."""
    assert steady("12:00:01 order=1 charged=0.00") == steady("13:30:59.123  order=1 charged=0.00")
    assert steady("<A at 0x7f00aa11>, 3 passed in 0.01s") == steady("<A at 0x7fffaa11>, 3 passed in 2.50s")
    assert steady("/a/b/tree-1/src/x.py:3: E") == steady("/c/src/x.py:3: E")
    assert steady("2026-01-02T03:04:05Z up") == steady("2025-11-12 13:14:15 up")
    for one, other in (("charged=0.00", "charged=0.01"), ("3 failed", "4 failed"), ("src/a.py", "src/b.py")):
        assert steady(one) != steady(other)
