"""Writing, and where it may be done."""

from __future__ import annotations

import pytest

from tests.tools.hand import Hand, hand_with


def hand_on(data: bytes, writes: tuple[str, ...] = ()) -> Hand:
    return hand_with({"src/a.py": data}, writes)


def after(hand: Hand) -> bytes:
    return hand.desk.read("src/a.py")


@pytest.mark.parametrize("tool", ["edit", "write"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("README.md", "outside the files that may change"),
        ("tests/test_old.py", "outside"),
        ("tests/test_new_old.py", "protected (tests and their fixtures)"),
        ("src/conftest.py", "protected (test configuration)"),
        ("./src/conftest.py", "protected (test configuration)"),
        ("src/golden.txt", "protected (named by a check)"),
        ("src/.git/hooks/pre-commit", "git uses for itself"),
        ("/etc/passwd", "outside the files that may change"),
        ("../x.py", "outside the files that may change"),
    ],
)
def test_what_may_not_change_is_refused_with_the_reason(tool: str, path: str, words: str) -> None:
    """A model hears it before it has built on it; the gate judges later anyhow."""
    hand = hand_on(b"a\n")
    text = {"old": "a", "new": "b"} if tool == "edit" else {"content": "b"}
    answer = hand.refused(tool, path=path, **text)
    assert words in answer or (tool == "edit" and "there is no file" in answer)


def test_a_new_test_may_be_written_where_the_goal_allows_it() -> None:
    """One that the run started from may not: see the table above."""
    hand = hand_on(b"a\n")
    hand.done("write", path="tests/test_new_b.py", content="def test_b(): pass\n")
    hand.done("edit", path="tests/test_new_b.py", old="pass", new="assert True")


def test_a_task_is_held_to_its_own_files() -> None:
    """What the goal allows but the task does not name is refused too."""
    hand = hand_on(b"a\n", writes=("src/b.py",))
    assert "outside the files of this task: src/b.py" in hand.refused("edit", path="src/a.py", old="a", new="b")
    hand.done("write", path="src/b.py", content="b\n")


def test_writing_says_what_became_of_the_file() -> None:
    """New, replaced or as before; lost line ends are named. Bytes are written as given."""
    hand = hand_on(b"a\r\n")
    assert hand.done("write", path="src/deep/b.py", content="é") == "created 'src/deep/b.py': 2 bytes"
    assert hand.desk.read("src/deep/b.py") == "é".encode()
    answer = hand.done("write", path="src/a.py", content="a\nb\n")
    assert answer == "replaced 'src/a.py': 4 bytes; its lines ended in CRLF before"
    assert "nothing was changed" in hand.done("write", path="src/a.py", content="a\nb\n")
    assert hand.done("write", path="src/a.py", content="a\r\n") == "replaced 'src/a.py': 3 bytes"
    assert after(hand) == b"a\r\n"
    hand.done("write", path="src/a.py", content="")
    assert after(hand) == b""
