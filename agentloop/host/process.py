"""Starting a process, reading what it says within bounds, and having all of it gone in time."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from agentloop.core.process import HEAD_BYTES, TAIL_BYTES, Captured, Ran

CHUNK = 64 * 1024
GRACE = 0.4
"""Seconds between asking the launcher to end everything and ending it by force."""


@dataclass
class Tap:
    """What came out of one stream: head, tail, digest and count; memory does not grow with a flood."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    held: int = 0
    total: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def take(self, data: bytes) -> None:
        """Add what was read."""
        self.total += len(data)
        self.digest.update(data)
        room = HEAD_BYTES - len(self.head)
        self.head += data[:room]
        if rest := data[room:] if room > 0 else data:
            self.tail.append(rest)
            self.held += len(rest)
            while self.held - len(self.tail[0]) >= TAIL_BYTES:
                self.held -= len(self.tail.popleft())

    def captured(self) -> Captured:
        """As the value that is handed on."""
        tail = b"".join(self.tail)[-TAIL_BYTES:]
        return Captured(bytes(self.head), tail, self.total, self.digest.hexdigest())


def execute(argv: tuple[str, ...], cwd: str, env: dict[str, str], timeout: float, stdin: bytes, status: int) -> Ran:
    """Run a launcher that answers on the descriptor `status` (the reading end of a pipe), and wait for its answer.

    Never raises for what the command does. When `timeout` seconds are over the launcher is asked to end everything,
    and killed where it does not. An interrupt ends everything too, and is passed on.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=_inherited(argv),
        )
    except (OSError, ValueError) as error:
        return Ran(missing=_why(error), seconds=time.monotonic() - started)
    out, err, answer = Tap(), Tap(), bytearray()
    try:
        timed_out = _pump(process, {1: out, 2: err}, answer, status, stdin, started + timeout)
    finally:
        _end(process)
    seconds = time.monotonic() - started
    said = json.loads(bytes(answer) or b"{}")
    ran = Ran(
        code=said.get("code"),
        signal=said.get("signal"),
        missing=said.get("missing", ""),
        stdout=out.captured(),
        stderr=err.captured(),
        seconds=seconds,
        killed=said.get("killed", 0),
    )
    if timed_out:
        return replace(ran, timed_out=True, code=None, signal=None, missing="")
    if ran.code is None and ran.signal is None and not ran.missing:
        last = ran.stderr.text.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return replace(ran, missing=f"the launcher gave no answer: {last[0]}")
    return ran


def _pump(
    process: subprocess.Popen[bytes],
    taps: dict[int, Tap],
    answer: bytearray,
    status: int,
    stdin: bytes,
    deadline: float,
) -> bool:
    """Read both streams until the launcher has ended; whether the deadline came first."""
    assert process.stdout
    assert process.stderr
    assert process.stdin
    feed = _Feed(process.stdin.fileno(), stdin)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, taps[1].take)
        selector.register(process.stderr, selectors.EVENT_READ, taps[2].take)
        selector.register(status, selectors.EVENT_READ, answer.extend)
        if not feed.done:
            selector.register(process.stdin, selectors.EVENT_WRITE, feed)
        else:
            process.stdin.close()
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return True
            for key, _ in selector.select(min(left, 0.05) if process.poll() is None else 0):
                if key.data is feed:
                    if feed.give():
                        selector.unregister(process.stdin)
                        process.stdin.close()
                    continue
                data = os.read(key.fd, CHUNK)
                key.data(data) if data else selector.unregister(key.fileobj)
            if process.poll() is not None and not _waiting(selector):
                return False


def _waiting(selector: selectors.BaseSelector) -> bool:
    """Whether something that was written before the end is still to be read."""
    return any(events & selectors.EVENT_READ for _, events in selector.select(0))


class _Feed:
    """What goes into a process, as much at a time as it takes."""

    def __init__(self, fd: int, data: bytes) -> None:
        self.fd = fd
        self.left = memoryview(data)
        if data:
            os.set_blocking(fd, False)

    @property
    def done(self) -> bool:
        return not self.left

    def give(self) -> bool:
        try:
            self.left = self.left[os.write(self.fd, self.left[:CHUNK]) :]
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.ECONNRESET):
                raise
            return True
        return self.done


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have the launcher end everything; then the launcher itself."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()


def _inherited(argv: tuple[str, ...]) -> tuple[int, ...]:
    """The descriptor on which the launcher answers, as its configuration (the last argument) names it."""
    return (int(json.loads(argv[-1])["status"]),)


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'the command'}: {error.strerror}".lower()
    return str(error)
