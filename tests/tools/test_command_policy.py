"""Which commands may start: by their very words, and not to write or start others on the way."""

from __future__ import annotations

import pytest

from agentloop.core.goal import DEFAULT_COMMANDS
from agentloop.tools import refusal

ALLOWED = [
    ("pytest",),
    ("python", "-m", "pytest"),
    ("ls",),
    ("pytest", "-q", "tests/test_a.py"),
    ("python", "-c", "import os; os.system('true')"),
    ("npm", "test"),
    ("true",),
    ("git", "log", "-c", "--oneline", "-5"),
    ("git", "diff", "--text", "--output-indicator-new=>"),
    ("git", "show", "HEAD:-c"),
    ("find", ".", "-name", "*.py", "-newer", "x", "-print0"),
    ("grep", "-rn", "&&", "src"),
    ("awk", "-F", "|", "-v", "a=|", "{print $1}", "f"),
    ("awk", "-F|", '{print $1 "|" $2}', "f"),
    ("awk", "$1 ~ /a|b/ || $2 > 3 {n += $3 / 2} END {print n}", "f"),
    ("awk", "/one|two/", "f"),
    ("sort", "-k", "2", "f"),
    ("rg", "--pretty", "--pre-glob", "x", "y"),
    ("sed", "s/w/e/", "f"),
    ("sed", "-n", "-e", "/w/,/e/{=;p;p}", "f"),
]
REFUSED = [
    ((), "names no program"),
    (("",), "names no program"),
    (("pytest", "a\0b"), "NUL"),
    (("pytest -q",), "each word as an item of its own"),
    (("./pytest",), "without a path"),
    (("/tmp/pytest",), "without a path"),
    (("Pytest",), "not among the programs"),
    (("pytest\n",), "not among the programs"),
    ((" pytest",), "not among the programs"),
    (("pytes*",), "not among the programs"),
    (("true", "x"), "allowed are: true"),
    (("npm", "install", "x"), "allowed are: npm test *"),
    (("bash", "-c", "pytest"), "no shell"),
    (("/bin/sh", "-c", "pytest"), "no shell"),
    (("$(pytest)",), "not among the programs"),
    (("env", "X=1", "pytest"), "not among the programs"),
    (("X=1", "pytest"), "not among the programs"),
    (("export", "X=1"), "not among the programs"),
    (("pytest;ls",), "not among the programs"),
    (("rm", "-rf", "/"), "not among the programs"),
    (("curl", "x"), "not among the programs"),
    (("xargs", "rm"), "not among the programs"),
    (("sudo", "pytest"), "not among the programs"),
    (("timeout", "9", "pytest"), "not among the programs"),
    (("git", "-c", "core.pager=x", "log"), "allowed are: git blame *, git diff *, git log *"),
    (("git", "push", "--force"), "allowed are: git blame"),
    (("git", "diff", "--output=src/x"), "--output"),
    (("git", "diff", "--outp", "src/x"), "--output"),
    (("git", "log", "--ext-diff"), "--ext-diff"),
    (("git", "show", "--textc"), "--textconv"),
    (("find", ".", "-exec", "rm", "{}", "+"), "-exec"),
    (("find", ".", "-okdir", "rm", "{}", ";"), "-okdir"),
    (("find", ".", "-name", "x", "-delete"), "-delete"),
    (("find", ".", "-fprintf", "x", "y"), "-fprintf"),
    (("awk", 'BEGIN { system ("rm x") }'), "starts programs"),
    (("awk", 'BEGIN { "date" | getline x }'), "starts programs"),
    (("awk", '{ print | "sh" }'), "starts programs"),
    (("awk", "-i", "inplace", "{}", "f"), "awk with -i"),
    (("awk", "-fprog.awk", "f"), "-f"),
    (("awk", "--fil", "prog.awk", "f"), "--fil"),
    (("rg", "--pre", "sh", "x"), "--pre"),
    (("sort", "--compress-prog=sh", "f"), "--compress-program"),
    (("sed", "p" * 10_001, "f"), "too long"),
]


@pytest.mark.parametrize("argv", ALLOWED)
def test_what_a_pattern_names_may_start(argv: tuple[str, ...]) -> None:
    """Words that only look like a way round are left alone."""
    assert refusal(argv, DEFAULT_COMMANDS) is None


@pytest.mark.parametrize(("argv", "words"), REFUSED)
def test_what_no_pattern_names_and_ways_round_are_refused_with_the_reason(argv: tuple[str, ...], words: str) -> None:
    """The answer says what would be right instead."""
    assert words in (refusal(argv, DEFAULT_COMMANDS) or "")


@pytest.mark.parametrize(
    ("argv", "pattern", "ok"),
    [
        (("make", "test-a"), "make test-*", True),
        (("make", "test-a", "x"), "make test-*", False),
        (("make", "clean"), "make test-*", False),
        (("make",), "make *", True),
        (("go", "a", "b"), "go * b", True),
        (("go", "a", "c", "b"), "go * b", False),
        (("ls",), "", False),
        (("ls",), "   ", False),
        (("ls",), "l*", False),
        (("ls",), "*", False),
        (("git", "-c", "core.pager=x", "log"), "git *", False),
        (("git", "-P", "--exec-path=x", "log"), "git *", False),
        (("git", "-P", "log", "-c"), "git *", True),
    ],
)
def test_patterns_are_matched_word_by_word(argv: tuple[str, ...], pattern: str, ok: bool) -> None:
    """A star stands for one word, a last one for any number; the program's name has none."""
    assert (refusal(argv, (pattern,)) is None) == ok
