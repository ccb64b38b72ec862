"""One exchange with a program: bytes in, bytes out, within a time, and nothing of it left running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from typing import IO

from agentloop.ports import ModelError
from agentloop.providers.means import Means
from agentloop.providers.redaction import redact

MAX_ANSWER = 16 * 1024 * 1024
"""Bytes."""

TEMPORARY = 75
"""The exit code (EX_TEMPFAIL of sysexits.h) by which a program says that another try may help."""


def converse(argv: tuple[str, ...], question: bytes, means: Means, seconds: float) -> bytes:
    """What the program `argv` prints when given `question`. It is the user's own: it sees the user's environment.

    Raises ModelError where it can't be started, does not end within `seconds`, or ends with another code than 0.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                argv,
                cwd=means.home,
                env=dict(means.environ),
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise ModelError(f"{argv[0]}: {error.strerror or error}", retryable=False) from None
        try:
            process.communicate(question, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise ModelError(f"{argv[0]}: no answer within {seconds:g} s", retryable=True, billed=True) from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode:
            raise _failed(argv[0], process.returncode, _end(err))
        out.seek(0)
        said = out.read(MAX_ANSWER + 1)
    if len(said) > MAX_ANSWER:
        raise ModelError(f"{argv[0]} printed more than {MAX_ANSWER} bytes", retryable=True, billed=True)
    return said


def _end(stream: IO[bytes]) -> str:
    """The last line of what was printed."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 4096))
    lines = stream.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "nothing on stderr"


def _failed(program: str, code: int, words: str) -> ModelError:
    if code in (126, 127):
        return ModelError(f"{program}: exit code {code}: {redact(words, '')}", retryable=False)
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return ModelError(f"{program}: {how}: {redact(words, '')}", retryable=code == TEMPORARY, billed=True)
