"""A sed may print; that it writes nothing and starts nothing is read from its words, and a real one agrees."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.goal import DEFAULT_COMMANDS
from agentloop.tools import refusal
from agentloop.tools.sed_words import sed_writes

SED = [
    ("-i", "s/a/b/", "f"),
    ("-i.bak", "s/a/b/", "f"),
    ("-ni", "p", "f"),
    ("-Ei", "-e", "p", "f"),
    ("s/a/b/", "-i", "f"),
    ("--in-place", "p", "f"),
    ("--in", "p", "f"),
    ("--i=.bak", "p", "f"),
    ("-f", "x.sed", "f"),
    ("--file=x.sed", "f"),
    ("w out", "f"),
    ("-n", "/a/w out", "f"),
    ("1,$!w out", "f"),
    (r"\,a/,W out", "f"),
    ("$!{p;w out\n}", "f"),
    ("s/a/b/w out", "f"),
    ("s/a/b/gw out", "f"),
    ("s,a,echo hi,e", "f"),
    (r"s/\/[/]/b/2gew out", "f"),
    ("1e echo hi", "f"),
    ("e", "f"),
    ("y/ab/ba/;w out", "f"),
    ("a\\\ntext\nw out", "f"),
    (":a;w out", "f"),
    ("b\nw out", "f"),
    ("# p\nw out", "f"),
    ("-n", "-e", "p", "-e", "w out", "f"),
    ("--expression=w out", "f"),
    ("--", "w out", "f"),
    ("-l", "5", "w out", "f"),
    ("/[/]/e", "f"),
    ("s/[/]/g;s/e;p/b/", "f"),
    ("s/[[:space:]/]/g;s/e;p/b/", "f"),
    ("s/[/]/w/", "f"),  # a slash in brackets ends the pattern for some seds, and not for others
    ("$!b\ne", "f"),
    ("--sandbox", "a text", "f"),
]
PLAIN_SED = [
    ("s/a/w/", "f"),
    ("s/w/e/g", "f"),
    ("-n", "/e/p", "f"),
    ("-ne", "s/x/i/p", "f"),
    ("-e", "s/i/w/", "-e", "$d", "f"),
    ("-n", "2,4p;5q", "f"),
    ("$!{h;d};x;G", "f"),
    (":e;N;$!be;s/\\n/ /g", "f"),
    ("p", "w out"),
    ("--quiet", "--expression", "p", "f"),
    ("-E", r"s/(a|b)[[:space:]w]/\1/I", "f"),
    ("s,/a/,/[e]/,;s#w#|#p", "f"),
    ("/a/,+2{/b/!d}", "f"),
    ("0~2d", "f"),
    ("$=", "f"),
]


@pytest.mark.parametrize("words", SED)
def test_sed_that_writes_or_starts_programs_is_noticed(words: tuple[str, ...]) -> None:
    """By option, command or flag, wherever it stands in the script; so is what is not known to be plain."""
    assert sed_writes(words)
    assert "sed with" in (refusal(("sed", *words), DEFAULT_COMMANDS) or "")


@pytest.mark.parametrize("words", PLAIN_SED)
def test_sed_that_only_prints_is_let_through(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Letters in patterns, texts, labels and names are no commands; sed itself takes each of these."""
    assert sed_writes(words) is None
    (tmp_path / "f").write_text("w\n")
    (tmp_path / "w out").write_text("w\n")
    done = subprocess.run(["sed", "--sandbox", *words], cwd=tmp_path, check=False)
    assert done.returncode == 0


PIECES = ["s/", "/", "e", "w", "[", "]", "[:a:]", ";", "p", "b", "$!", "1,", "{", "}", "\\", "-e", "-", "^", "\n"]
SCRIPTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(st.lists(SCRIPTS, min_size=1, max_size=3))
def test_sed_agrees_that_nothing_is_written(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    """What is let through, a real sed takes with its commands e, r and w switched off, or finds broken anyhow."""
    if sed_writes(tuple(words)) is None:
        folder = tmp_path_factory.mktemp("sed")
        (folder / "f").write_text("w\n")
        argv = ["sed", "--sandbox", *words, "f"]
        done = subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False)
        assert b"commands disabled in sandbox" not in done.stderr
        assert sorted(path.name for path in folder.iterdir()) == ["f"]
