"""Listing and searching."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentloop.core.globs import glob_problem
from agentloop.core.process import Captured, Ran
from tests.fakes import FakeBlobs, FakeDesk, tree_of
from tests.tools.hand import Hand, hand_with, on_disk

SNAKE = "\U0001f40d"


def test_listing_takes_gitignore_globs_and_counts_the_rest() -> None:
    """Sorted paths, and how many more there are."""
    hand = hand_with(dict.fromkeys(("src/b.py", "src/a.py", "src/in/c.py", "READ\nME"), b""))
    assert hand.done("list") == "READ\\nME\nsrc/a.py\nsrc/b.py\nsrc/in/c.py"
    assert hand.done("list", glob=".") == hand.done("list", glob="")
    assert hand.done("list", glob="./src/*.py") == "src/a.py\nsrc/b.py"
    assert hand.done("list", glob="src/**/*.py", limit=1) == "src/a.py\n(2 more; narrow the glob)"
    assert hand.done("list", glob="*.txt") == "no path matches '*.txt'"


@pytest.mark.parametrize("tool", ["list", "search"])
@pytest.mark.parametrize("glob", ["!src", "a\\", "[b-a]", "*a*a*a*a*b"])
def test_what_is_no_usable_glob_is_refused(tool: str, glob: str) -> None:
    """In the words of `glob_problem`."""
    more = {"pattern": "a"} if tool == "search" else {}
    assert hand_with({}).refused(tool, glob=glob, **more) == glob_problem(glob)


def test_searching_gives_path_line_and_text(tmp_path: Path) -> None:
    """Lines are counted as `read` counts them; line ends are no part of a line."""
    files = {"a.py": b"one\x0c\x85two\r\nthree = 3\r\n", "b.py": "café three\n".encode(), "c.py": b"\n\n"}
    with on_disk(tmp_path, files) as hand:
        assert hand.done("search", pattern=r"three") == "a.py:2: three = 3\nb.py:1: café three"
        assert hand.done("search", pattern=r"^three = \d$") == "a.py:2: three = 3"
        assert hand.done("search", pattern=r"^$", glob="c.py") == "c.py:1: \nc.py:2: "
        assert hand.done("search", pattern="three", glob="b*", limit=1) == "b.py:1: café three"
        assert hand.done("search", pattern="four") == "nothing found"
        assert hand.done("search", pattern="four", glob="x") == "nothing found"


def test_what_a_search_leaves_out_is_named(tmp_path: Path) -> None:
    """More hits than asked for, long lines, and files that are no text."""
    files = {"a.py": b"x\n" * 60, "b.py": SNAKE.encode() * 1000 + b"\n", "c.py": b"x\0x\n"}
    with on_disk(tmp_path, files) as hand:
        os.symlink("a.py", Path(hand.desk.folder, "link.py"))
        os.mkfifo(Path(hand.desk.folder, "pipe.py"))
        answer = hand.done("search", pattern="x", limit=2)
        assert answer == "a.py:1: x\na.py:2: x\n(there are more than these 2; narrow the pattern or the glob)"
        assert hand.done("search", pattern=SNAKE) == (
            f"b.py:1: {SNAKE * 300}…\n(3 files are binary, links or too large and were not searched)"
        )


def test_hits_are_as_many_as_fit_an_answer(tmp_path: Path) -> None:
    """A desk keeps 64 KiB of an output: an answer that was cut there would be no answer."""
    with on_disk(tmp_path, {"a.py": f"{SNAKE * 290}\n".encode() * 400}) as hand:
        answer = hand.done("search", pattern=SNAKE, limit=500)
    assert "there are more than these 20;" in answer
    assert answer.count("\n") == 20


def test_a_tree_of_very_many_long_paths_is_searched_in_parts(tmp_path: Path) -> None:
    """Linux takes no argument of more than 128 KiB."""
    files = {f"{'d' * 200}/{number:0>200}": b"x\n" for number in range(400)}
    with on_disk(tmp_path, files) as hand:
        assert hand.done("search", pattern="x", glob=f"**/{399:0>200}", limit=2).endswith("399:1: x")
        shown = hand.done("search", pattern="x", limit=500).splitlines()
        assert len(shown) - 1 < 400
        assert "more than these" in shown[-1]


class Slow(FakeDesk):
    """Each search takes some seconds; there are very many files."""

    timeouts: tuple[float, ...] = ()

    def files(self) -> list[str]:
        return [f"src/{number:0>200}" for number in range(5000)]

    def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
        self.timeouts = (*self.timeouts, timeout)
        assert len(argv[-1].encode()) < 128 * 1024
        answer = b'{"hits": [], "skipped": 0, "full": false, "bad": ""}'
        return Ran(code=0, stdout=Captured(answer, b"", len(answer)), seconds=6.0)


def test_the_time_of_a_search_is_one_for_all_its_parts() -> None:
    """What is left of it bounds each."""
    desk = Slow(FakeBlobs(), tree_of(FakeBlobs(), {}))
    assert "more than 20 s" in Hand(desk)("search", pattern="x" * 1000)[1]
    assert desk.timeouts == (20.0, 14.0, 8.0, 2.0)


def test_a_pattern_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    """The child is ended by the desk, not waited for."""
    with on_disk(tmp_path, {"a.py": b"a" * 100 + b"\n"}) as hand:
        real = hand.desk

        class Hasty(FakeDesk):
            def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
                return real.run(argv, min(timeout, 1.0))

        blobs = FakeBlobs()
        hand.desk = Hasty(blobs, tree_of(blobs, {"a.py": b""}))
        assert "simpler pattern" in hand.refused("search", pattern="(a+)+b")


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "(?P<x>a)(?P<x>b)", "*", "\\", "(" * 900])
def test_bad_patterns_are_explained(tmp_path: Path, pattern: str) -> None:
    """What Python says of it, without a traceback, also where no file would be searched."""
    with on_disk(tmp_path, {}) as hand:
        answer = hand.refused("search", pattern=pattern)
    assert "is not a Python regular expression: " in answer
    assert "Traceback" not in answer


def test_a_search_that_gives_no_answer_is_said() -> None:
    """No Python in the sandbox, or an output that is no answer."""

    class Mute(FakeDesk):
        def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
            return Ran(missing="python3: not found")

    hand = Hand(Mute(FakeBlobs(), tree_of(FakeBlobs(), {})))
    assert "could not start: python3: not found" in hand.refused("search", pattern="x")
