"""Judges foreign text in a child process of our own interpreter, which can be ended.

A regular expression or a schema's `pattern` can keep Python busy for years, and holds the interpreter's lock
meanwhile: neither a thread nor a signal handler could stop it. So a plain child does the work (`count_child.py`,
`schema_child.py`), with the check's timeout and a bound on its memory. It is isolated by ``-I`` and runs no code of
the tree, so it needs no sandbox. The user's interpreter is no choice, as it may lack jsonschema.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent


class Unbounded(Exception):
    """The child gave no answer. `timed_out` tells a long wait from a breakdown."""

    def __init__(self, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out


def bounded(child: Literal["count", "schema"], data: bytes, timeout: float, **more: Any) -> dict[str, Any]:
    """The child's answer about `data`, within `timeout` seconds; bytes in `more` are handed over as base64.

    Raises Unbounded where there is none.
    """
    request = {key: _plain(value) for key, value in {"data": data, **more}.items()}
    argv = [sys.executable, "-I", str(HERE / f"{child}_child.py")]
    text = json.dumps(request).encode()
    try:
        done = subprocess.run(argv, input=text, capture_output=True, timeout=timeout, env={}, check=False)
    except subprocess.TimeoutExpired:
        raise Unbounded(f"timed out after {timeout:g} s: a pattern takes too long", timed_out=True) from None
    try:
        reply: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unbounded(f"could not be judged: {last[-1] if last else f'exit code {done.returncode}'}") from None
    return reply


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value
