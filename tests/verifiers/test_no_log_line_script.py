"""The verifier no_log_line: no line matches, some do, or there was nothing to look at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "verifiers" / "no_log_line.py"
LOG = "10:00 start\n10:01 ERROR disk\n10:02 start\n10:03 ok\n10:04 WARN slow \udcff\n"


def verified(folder: Path, log: str | None, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run the script on app.log with `log` in it; None: the file is missing."""
    if log is not None:
        (folder / "app.log").write_bytes(log.encode("utf-8", "surrogateescape"))
    command = [sys.executable, "-E", str(SCRIPT), "app.log", *argv]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "argv", [["FATAL"], ["error"], ["ERROR", "--since", "^10:02"], ["^ERROR"], [r"ok\r?\n"], ["WARN.*\ud7ff"]]
)
def test_a_log_without_such_a_line_passes_in_silence(tmp_path: Path, argv: list[str]) -> None:
    """Case counts, ends of lines are no part of them, and what is before `--since` is over."""
    ran = verified(tmp_path, LOG, *argv)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("argv", "first", "last"),
    [
        (["ERROR"], "app.log:2: 10:01 ERROR disk", "app.log: 1 of 5 lines match 'ERROR'; the first is line 2"),
        (["(?i)error|warn"], "app.log:2: ", "2 of 5 lines"),
        (["start", "--since", "10:01"], "app.log:3: 10:02 start", "1 of 4 lines match 'start'; the first is line 3"),
        (["ERROR", "--since", "ERROR"], "app.log:2: ", "1 of 4 lines"),
        (["slow"], "app.log:5: 10:04 WARN slow \ufffd", "1 of 5 lines"),
    ],
)
def test_lines_that_match_fail_and_are_printed_with_their_numbers(
    tmp_path: Path, argv: list[str], first: str, last: str
) -> None:
    """The last line sums it up, and `--since` includes the line it matches."""
    ran = verified(tmp_path, LOG, *argv)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert lines[0].startswith(first)
    assert last in lines[-1]


def test_only_the_first_of_many_lines_are_printed(tmp_path: Path) -> None:
    """All are counted."""
    ran = verified(tmp_path, "ERROR\n" * 1000, "ERROR")
    assert ran.returncode == 1
    assert len(ran.stdout.splitlines()) == 6
    assert "1000 of 1000 lines" in ran.stdout


@pytest.mark.parametrize(
    ("log", "argv", "says"),
    [
        (None, [], "app.log does not exist"),
        ("", [], "app.log is empty"),
        (LOG, ["--since", "11:00"], "no line of app.log matches --since '11:00'"),
    ],
)
def test_silence_proves_nothing_unless_it_is_allowed(
    tmp_path: Path, log: str | None, argv: list[str], says: str
) -> None:
    """A log that was never written must not look like a log without errors."""
    ran = verified(tmp_path, log, "ERROR", *argv)
    assert (ran.returncode, ran.stdout, ran.stderr.strip()) == (2, "", f"no_log_line: can't say: {says}")
    assert verified(tmp_path, log, "ERROR", *argv, "--allow-empty").returncode == 0


def test_a_log_that_cannot_be_read_is_never_fine(tmp_path: Path) -> None:
    """Not even where an empty one would be."""
    (tmp_path / "app.log").mkdir()
    ran = verified(tmp_path, None, "ERROR", "--allow-empty")
    assert ran.returncode == 2
    assert "app.log: Is a directory" in ran.stderr


@pytest.mark.parametrize("argv", [[], ["("], ["x", "--since", "("], ["x", "--nope"]])
def test_a_wrong_usage_is_2(tmp_path: Path, argv: list[str]) -> None:
    """And is no traceback."""
    ran = verified(tmp_path, LOG, *argv)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "usage:" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_help_names_the_exit_codes() -> None:
    """0 for asking."""
    ran = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert "Exit code: 0" in ran.stdout
