"""What an adapter does when its program fails, is missing, is cut off or must end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.docs.programs import (
    CALL,
    FOLDER,
    PROGRAMS,
    SAYS,
    Fake,
    adapted,
    claude_says,
    codex_says,
    llm_says,
    reply,
    request_of,
)

FAILURES = {
    "claude": ({"out": claude_says("API Error: 529 Overloaded", is_error=True), "code": 1}, 75, "529 Overloaded"),
    "claude, exit 0": ({"out": claude_says("Not logged in · Please run /login", is_error=True)}, 1, "Not logged in"),
    "claude, limit": ({"out": claude_says("429: you hit your limit", is_error=True), "code": 1}, 1, "hit your limit"),
    "claude, silent": ({"code": 3}, 1, "claude ended with 3"),
    "codex": ({"out": codex_says("x", {"type": "turn.failed", "error": {"message": "last status: 429"}}), "code": 1},
              75, "last status: 429"),
    "codex, exit 0": ({"out": codex_says("x", {"type": "turn.failed", "error": {"message": "no"}})}, 1, "no"),
    "codex, usage": ({"err": "Error: Unknown feature flag: apps\n\nStack:\n 0: x", "code": 1}, 1, "flag: apps"),
    "codex, no answer": ({"out": '{"type": "turn.completed"}'}, 1, "no answer"),
    "gemini": ({"err": 'W: {}\n{\n "error": {"code": 503, "message": "Try later"}\n}', "code": 247}, 75, "503 Try"),
    "gemini, login": ({"err": '{\n "error": {"code": 41, "message": "no auth"}\n}', "code": 41}, 1, "41 no auth"),
    "gemini, quota": ({"err": 'RetryableQuotaError: x\n{\n "error": {"code": 429, "message": "quota"}\n}', "code": 173},
                      75, "429 quota"),
    "gemini, all spent": ({"err": 'TerminalQuotaError\n{\n "error": {"code": 429, "message": "quota"}\n}', "code": 1},
                          1, "429 quota"),
    "llm": ({"err": "Error: Connection error.\n", "code": 1}, 75, "Connection error."),
    "llm, model": ({"err": "Error: 'Unknown model: m-1'\n", "code": 1}, 1, "Unknown model"),
    "llm, old": ({"out": "plain text"}, 1, "version 0.36"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_is_one_line_and_says_whether_to_try_again(fake: Fake, case: str) -> None:
    """75 where another try may help; nothing on stdout that could be taken for an answer."""
    how, code, says = FAILURES[case]
    name = case.split(",")[0]
    done = fake(name, **how)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"{name}.py: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_missing_program_is_named_with_what_to_install(tmp_path: Path, name: str) -> None:
    """In words, and not worth another try."""
    done = adapted(name, request_of(), (), {"PATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (1, "")
    assert f"the program {name} is not on the PATH; install it: " in done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("asked", ["", "[]", "{}", '{"model": "m", "messages": [3], "max_output": 1}'])
def test_a_request_of_another_shape_is_no_traceback(fake: Fake, name: str, asked: str) -> None:
    """One line, like all else that fails."""
    done = fake(name, SAYS[name]("x"), asked=asked or " ")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_a_key_is_never_told(fake: Fake) -> None:
    """Neither one of the environment nor what looks like one."""
    err = "Error: 401 wrong key plainkey99 or sk-ant-abcdefgh or AIzaSyABCDEFGH12\n"
    done = fake("llm", err=err, code=1, MY_API_KEY="plainkey99")
    assert done.stderr == "llm.py: Error: 401 wrong key [key] or [key] or [key]\n"


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("claude", {"out": claude_says("exceeded the 77 output token maximum", is_error=True), "code": 1}),
        ("claude", {"out": claude_says(CALL, stop_reason="max_tokens")}),
        ("codex", {"out": codex_says(CALL, {"type": "turn.failed", "error": {"message": "reason: max_output_tokens"}}),
                   "code": 1}),
        ("llm", {"out": llm_says(CALL, choices=[{"finish_reason": "length"}])}),
        ("llm", {"out": llm_says(CALL, stop_reason="max_tokens")}),
    ],
)  # fmt: skip
def test_an_answer_that_was_cut_off_holds_no_call(fake: Fake, name: str, how: dict[str, Any]) -> None:
    """However whole the call looks."""
    said = reply(fake(name, **how))
    assert (said["stop"], said["tool_calls"]) == ("length", [])


def test_the_program_ends_with_its_adapter(tmp_path: Path) -> None:
    """SIGTERM leaves neither a process nor a folder."""
    program = tmp_path / "llm"
    program.write_text(f"#!/bin/sh\npwd > {tmp_path}/work\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-B", str(FOLDER / "llm.py")], stdin=subprocess.PIPE, env=env) as running:
        assert running.stdin is not None
        running.stdin.write(json.dumps(request_of()).encode())
        running.stdin.close()
        until = time.monotonic() + 20
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()) and time.monotonic() < until:
            time.sleep(0.02)
        pid = int((tmp_path / "pid").read_text())
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=20) == 143
    assert not Path((tmp_path / "work").read_text().strip()).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
