"""Editing: exactly what was asked for, or nothing."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentloop.core.screen import MAX_FILE
from tests.tools.hand import Hand, hand_with


def hand_on(data: bytes, writes: tuple[str, ...] = ()) -> Hand:
    return hand_with({"src/a.py": data}, writes)


def after(hand: Hand) -> bytes:
    return hand.desk.read("src/a.py")


PIECES = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\r", b"\t", b" ", "é".encode(), b"\xff", b"\0"]))
TEXTS = st.text("ab\n\r\té", max_size=4)


@given(PIECES, TEXTS, TEXTS, st.integers(1, 3))
@example([b"a", b"\r\n", b"b", b"\r\n"], "a\nb", "b\n\na", 1)
@example([b"a", b"\r\n", b"b", b"\n", b"a", b"\n"], "b\na", "é", 1)
@example([b"a", b"a", b"a"], "aa", "b", 1)
@example([b"\xff", b"a"], "a", "b", 1)
def test_an_edit_changes_what_was_asked_or_nothing(pieces: list[bytes], old: str, new: str, count: int) -> None:
    """Byte for byte: what stands around the places stays, and they are as many as were said."""
    data = b"".join(pieces)
    hand = hand_on(data)
    ok, answer = hand("edit", path="src/a.py", old=old, new=new, count=count)
    assert ok or answer
    if not ok:
        assert after(hand) == data
        return
    ended = old.replace("\r\n", "\n").replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    crlf = b"\r\n" in data and b"\n" not in data.replace(b"\r\n", b"")
    gone, come = ended if crlf or old.encode() not in data else (old, new)
    around = data.split(gone.encode())
    assert len(around) == count + 1
    assert after(hand) == come.encode().join(around) != data


@given(PIECES, st.data())
def test_an_edit_is_done_where_the_text_stands_once(pieces: list[bytes], choice: st.DataObject) -> None:
    """Any part of a file that occurs in it once can be replaced, and the answer names its line."""
    text = b"".join(pieces).decode("utf-8", "ignore") + "cd"
    old = text[choice.draw(st.integers(0, len(text) - 1)) :]
    hand = hand_on(text.encode())
    once = text.find(old) == text.rfind(old)
    ok, answer = hand("edit", path="src/a.py", old=old, new="Z")
    assert ok == once
    if ok:
        line = text[: len(text) - len(old)].encode().count(b"\n") + 1
        assert answer == f"changed 'src/a.py' at line {line}"


def test_an_edit_in_a_file_of_crlf_lines_writes_crlf() -> None:
    """A model sends plain newlines; the file keeps its own, also where only the new text has one."""
    hand = hand_on(b"a\r\nb\r\nc")
    hand.done("edit", path="src/a.py", old="a\nb", new="a\nx\nb")
    assert after(hand) == b"a\r\nx\r\nb\r\nc"
    hand.done("edit", path="src/a.py", old="c", new="c\r\nd\n")
    assert after(hand) == b"a\r\nx\r\nb\r\nc\r\nd\r\n"
    assert "are the same" in hand.refused("edit", path="src/a.py", old="a\r\nx", new="a\nx")


def test_where_line_ends_are_mixed_an_edit_takes_those_of_its_place() -> None:
    """Text that stands between CRLF lines only is replaced with CRLF; elsewhere newlines are as sent."""
    hand = hand_on(b"a\r\nb\r\nc\nd\n")
    hand.done("edit", path="src/a.py", old="a\nb", new="x\ny")
    hand.done("edit", path="src/a.py", old="c\nd", new="z\nz")
    assert after(hand) == b"x\r\ny\r\nz\nz\n"


def test_bytes_that_are_no_text_can_be_edited_around_but_not_sent() -> None:
    """The rest of such a file is open to edits, and stays byte for byte."""
    hand = hand_on(b"\xff\xfea = 1\0\n")
    assert "not UTF-8" in hand.refused("edit", path="src/a.py", old="\ufffda", new="b")
    hand.done("edit", path="src/a.py", old="a = 1", new="a = 2")
    assert after(hand) == b"\xff\xfea = 2\0\n"


def test_a_wrong_count_is_told_with_the_right_one() -> None:
    """With the right one all places are changed, and told."""
    hand = hand_on(b"a\nb\na\n")
    assert "occurs 2 times" in hand.refused("edit", path="src/a.py", old="a", new="c", count=3)
    assert "occurs once" in hand.refused("edit", path="src/a.py", old="b", new="c", count=2)
    assert hand.done("edit", path="src/a.py", old="a", new="c", count=2) == "changed 'src/a.py' at lines 1, 3"
    assert after(hand) == b"c\nb\nc\n"


def test_empty_and_equal_texts_are_refused() -> None:
    """They would insert anywhere, or change nothing."""
    hand = hand_on(b"a\n")
    assert "`old` is empty" in hand.refused("edit", path="src/a.py", old="", new="x")
    assert "are the same" in hand.refused("edit", path="src/a.py", old="a", new="a")
    assert "there is no file" in hand.refused("edit", path="src/b.py", old="a", new="b")


def test_a_small_call_makes_no_huge_file() -> None:
    """The gate would refuse it later."""
    hand = hand_on(b"a\n" * 10_000)
    answer = hand.refused("edit", path="src/a.py", old="a", new="b" * 1000, count=10_000)
    assert "would become too large" in answer
    hand.done("edit", path="src/a.py", old="a", new="b" * ((MAX_FILE - 10_000) // 10_000), count=10_000)
    assert len(after(hand)) <= MAX_FILE
