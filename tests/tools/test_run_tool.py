"""Running commands, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentloop.core.process import Ran
from tests.fakes import FakeBlobs, FakeDesk, tree_of
from tests.tools.hand import Hand, hand_with, on_disk


@pytest.fixture
def hand(tmp_path: Path) -> Iterator[Hand]:
    with on_disk(tmp_path, {"src/a.py": b"x = 1\n"}) as hand:
        yield hand


def python(hand: Hand, code: str, **more: int) -> str:
    return hand.done("run", argv=["python3", "-c", code], **more)


def test_what_became_of_a_command_is_told_with_both_streams(hand: Hand) -> None:
    """It runs in the tree; a failure of the command is no failure of the call."""
    code = "import sys; print(open('src/a.py').read(), end=''); print('no', file=sys.stderr); sys.exit(3)"
    assert python(hand, code) == "exit code 3\n--- stdout\nx = 1\n\n--- stderr\nno\n"
    assert hand.done("run", argv=["true"]) == "exit code 0"
    assert python(hand, "import time; time.sleep(60)", timeout=1).startswith("timed out after 1.")


def test_control_characters_of_a_command_are_shown_as_escapes(hand: Hand) -> None:
    """Terminal codes, carriage returns, reordering marks and broken bytes reach no one as they are."""
    code = r"import sys; sys.stdout.buffer.write(b'\x1b[31m\r\x00\xff' + '\u202e\u2066\x9b\t'.encode())"
    answer = python(hand, code)
    assert answer == "exit code 0\n--- stdout\n\\x1b[31m\\x0d\\x00\ufffd\\u202e\\u2066\\x9b\t"


@pytest.mark.parametrize("size", [8_001, 100_000, 300_000])
def test_long_output_keeps_its_beginning_and_end_and_names_what_is_left_out(hand: Hand, size: int) -> None:
    """Both streams fit one answer, whether the desk kept all of the output or not."""
    code = f"import sys; print('first' + 'x' * {size - 11} + 'last!'); print('e' * 9000 + 'end', file=sys.stderr)"
    answer = python(hand, code)
    assert "--- stdout\nfirstxxx" in answer
    assert "xxxlast!\n" in answer
    assert f"of {size:,} bytes all but the first and the last 4,000 characters are left out" in answer
    assert answer.endswith("eeeend\n")
    assert len(answer) < 17_000


def test_output_is_cut_by_what_is_shown_of_it(hand: Hand) -> None:
    """Escapes are longer than what they stand for."""
    answer = python(hand, "print('\\x01' * 7000, end='')")
    assert "of 7,000 bytes all but the first and the last 4,000 characters are left out" in answer
    assert answer.count("\\x01") == 2000


def test_refused_commands_do_not_start() -> None:
    """The policy stands before the desk."""
    hand = hand_with({})
    assert "no shell" in hand.refused("run", argv=["bash", "-c", "pytest | tee x"])
    assert "names no program" in hand.refused("run", argv=[])
    assert "-exec" in hand.refused("run", argv=["find", ".", "-exec", "rm", "{}", ";"])
    assert isinstance(hand.desk, FakeDesk)
    assert hand.desk.ran == []
    assert hand.done("run", argv=["true"]) == "exit code 0"
    assert hand.desk.ran == [("true",)]


def test_shell_words_are_plain_text_and_the_model_is_told(hand: Hand) -> None:
    """Nothing is expanded, piped or redirected."""
    answer = hand.done("run", argv=["echo", "$(id)", "|", "cat", ">", "src/b.py", "2>&1", "a|b"])
    assert "there is no shell: '$(id)', '|', '>', '2>&1' went to the program as plain text" in answer
    assert "--- stdout\n$(id) | cat > src/b.py 2>&1 a|b\n" in answer
    assert hand.desk.files() == ["src/a.py"]


@pytest.mark.parametrize(
    ("became", "said"),
    [
        (Ran(code=0, killed=2), "exit code 0; 2 processes outlived it and were ended"),
        (Ran(missing="no such program"), "could not start: no such program"),
    ],
)
def test_programs_that_are_missing_or_leave_processes_are_told(became: Ran, said: str) -> None:
    """In words, like all else that becomes of a command."""

    class Told(FakeDesk):
        def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
            assert timeout == 120
            return became

    assert Hand(Told(FakeBlobs(), tree_of(FakeBlobs(), {}))).done("run", argv=["true"]) == said
