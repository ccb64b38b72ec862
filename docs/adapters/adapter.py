"""What the adapters share: agentloop's `command` protocol, running the program, failures in one line.

An adapter is a function from an `Ask` and an empty folder, beside which it may put files, to an `Answer`. `serve`
does the rest: one JSON object on stdin, one on stdout, exit 75 where another try may help.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dialect import first_call, prompt_of, system_of

TEMPORARY = 75
_AGAIN = re.compile(
    r"\b(408|429|500|502|503|504|529)\b|rate.?limit|too many requests|overloaded|unavailable|timed? ?out"
    r"|connect|network|fetch failed|reset by peer|try again",
    re.IGNORECASE,
)
_NEVER = re.compile(r"quota|billing|credit|balance|(usage|your) limit|insufficient", re.IGNORECASE)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk)-[\w*.-]{4,}|\bAIza[\w-]{8,}|(?<=Bearer )\S+")


class Failed(Exception):
    """No answer, and why. `temporary` says whether another try may help; None leaves it to the words."""

    def __init__(self, why: str, temporary: bool | None = None) -> None:
        super().__init__(why)
        self.temporary = bool(_AGAIN.search(why) and not _NEVER.search(why)) if temporary is None else temporary


@dataclass(frozen=True)
class Ask:
    """What agentloop wants. `system` includes the tools and the wanted shape; `extra` is the adapter's own argv."""

    model: str
    system: str
    prompt: str
    max_output: int
    extra: list[str]


@dataclass(frozen=True)
class Answer:
    """What the program said. Token counts that it did not tell stay out of `usage`."""

    text: str
    usage: Mapping[str, Any] = field(default_factory=dict)
    cut: bool = False


def serve(answer: Callable[[Ask, Path], Answer]) -> None:
    """Read the request, let `answer` ask the program in an empty folder, print the reply, exit."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the program is killed and the folder removed
    try:
        request = json.load(sys.stdin.buffer)
        with TemporaryDirectory(prefix="agentloop-", ignore_cleanup_errors=True) as folder:
            work = Path(folder) / "work"
            work.mkdir()
            texts = system_of(request), prompt_of(request["messages"])
            given = answer(Ask(request["model"], *texts, request["max_output"], sys.argv[1:]), work)
    except (Failed, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
        print(f"{Path(sys.argv[0]).name}: {one_line(why)}", file=sys.stderr)
        sys.exit(TEMPORARY if isinstance(error, Failed) and error.temporary else 1)
    print(json.dumps(reply_of(given, request)))


def run(argv: list[str], prompt: str, folder: Path, install: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the program with `prompt` on its stdin and `env` on top of the environment.

    What it keeps in a folder for temporary files (some leave whole prompts there) goes with ours.
    """
    if shutil.which(argv[0]) is None:
        raise Failed(f"the program {argv[0]} is not on the PATH; install it: {install}", temporary=False)
    late: list[int] = []  # a SIGTERM while the program is started must not leave it alone
    before = signal.signal(signal.SIGTERM, lambda number, _: late.append(number))
    pipe = subprocess.PIPE
    env = {**os.environ, "TMPDIR": str(folder.parent), **env}
    with subprocess.Popen(
        argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=env, encoding="utf-8", errors="replace"
    ) as program:
        try:
            signal.signal(signal.SIGTERM, before)
            if late:
                sys.exit(143)
            out, err = program.communicate(prompt)
        finally:
            program.kill()
    return subprocess.CompletedProcess(argv, program.returncode, out, err)


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects of `text`: the whole of it, or one a line; what is none is passed over."""
    found = []
    for part in [text, *text.split("\n")]:
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        found += [value] if isinstance(value, dict) else []
        if part is text:
            break
    return found


def one_line(text: str) -> str:
    """`text` in one line that is not too long and shows no key."""
    for name, value in os.environ.items():
        if _SECRET.search(name.upper()) and len(value) >= 8:
            text = text.replace(value, "[key]")
    line = " ".join(_KEY_LIKE.sub("[key]", text).split())
    return line if len(line) <= 300 else f"{line[:299]}…"


def reply_of(answer: Answer, request: Mapping[str, Any]) -> dict[str, Any]:
    """The reply as agentloop wants it. An answer that was cut off holds no call, however whole one looks."""
    text, calls, stop = answer.text, [], "length" if answer.cut else "end"
    found = None if answer.cut or not request.get("tools") else first_call(text)
    if found:
        number = 1 + sum(len(turn.get("calls") or ()) for turn in request["messages"])
        text, stop, calls = found[0], "tool", [{"id": f"call_{number}", **found[1]}]
    reply = {"text": text, "tool_calls": calls, "stop": stop}
    usage = {name: count for name, count in answer.usage.items() if isinstance(count, int)}
    return {**reply, "usage": usage} if {"input", "output"} <= set(usage) else reply
