"""Runs pytest on a tree and writes a sealed report: ``python -P pytest_launch.py REQUEST``.

REQUEST is a JSON file with `tree`, `targets`, `wanted`, `options`, `canary`, `cache`, `report` and `nonce`. Two
processes share the work. The tests run in a child, which tells over a pipe what it sees as it sees it. The first
process writes down what it is told, runs no code of the tree, and alone knows the nonce and the report's path: they
stand in no file, argument, variable or frame that code of the tree could look into. So what was told can't be taken
back, and what ends early (``os._exit`` in a test, a signal) leaves no report. The report is
``{"body": TEXT, "seal": HMAC}``. What the child tells can still be made up by code that runs in it: planted tests
and checks from outside are there for that.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
from typing import Any, NoReturn

KIT = os.path.dirname(os.path.abspath(__file__))
SECRET = ("nonce", "report")
"""Fields of the request that the child never sees."""

LAST_WORDS = 5.0
"""Seconds after the child's end within which what it had told is read, should others hold the pipe open."""


def main(request_file: str) -> NoReturn:
    report = load("pytest_report")  # before the tests run: they may be able to write where it lies
    asked, answered = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(asked[1])
        os.close(answered[0])
        with os.fdopen(asked[0], encoding="utf-8") as file:
            request = json.load(file)
        leave(observe(request, report.teller(answered[1])))
    os.close(asked[0])
    os.close(answered[1])
    unreadable()
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(request_file)
    with contextlib.suppress(BrokenPipeError), os.fdopen(asked[1], "w", encoding="utf-8") as file:
        json.dump({key: value for key, value in request.items() if key not in SECRET}, file)
    told: list[bytes] = []
    reader = threading.Thread(target=listen, args=(answered[0], told), daemon=True)
    reader.start()
    status = os.waitpid(child, 0)[1]
    reader.join(LAST_WORDS)
    body = report.body(told)
    if body is not None:
        write(request["report"], body, request["nonce"])
    follow(status)


def observe(request: dict[str, Any], tell: Any) -> int:
    """Run pytest and tell what it sees; its exit code."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") not in (KIT, request["tree"])]
    try:
        pytest = importlib.import_module("pytest")
    except ImportError as error:
        tell("end", 4, "", str(error))
        return 4
    recorder = load("pytest_recorder").Recorder(request["tree"], request["wanted"], request["canary"], tell)
    sys.path.append(request["tree"])
    arguments = [
        "--rootdir=" + request["tree"],
        "--override-ini=cache_dir=" + request["cache"],
        "--continue-on-collection-errors",
        "--maxfail=0",
        *request["options"],
        "--",
        *request["targets"],
    ]
    sys.argv[:] = ["pytest", *arguments]
    why = ""
    try:
        code = int(pytest.main(arguments, plugins=[recorder]))
    except BaseException as error:  # noqa: BLE001  whatever the tree raises is a result to report
        code, why = 3, repr(error)[:400]
    tell("end", code, pytest.__version__, why)
    return code


def load(name: str) -> Any:
    """A module of this folder, which is not on sys.path."""
    spec = importlib.util.spec_from_file_location("agentloop_" + name, os.path.join(KIT, name + ".py"))
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unreadable() -> None:
    """Keep other processes of this user out of our memory, where the system can do that (PR_SET_DUMPABLE)."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def listen(handle: int, told: list[bytes]) -> None:
    """Collect the lines of the child until it says that it is done, or can say no more."""
    with os.fdopen(handle, "rb") as file:
        for line in file:
            told.append(line)
            if line.startswith(b'["end"'):
                return


def leave(code: int) -> NoReturn:
    """End at once: nothing that a test left for the end of the process runs any more."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def follow(status: int) -> NoReturn:
    """End as the child ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 3)


def write(path: str, body: dict[str, Any], nonce: str) -> None:
    text = json.dumps(body)
    seal = hmac.new(nonce.encode(), text.encode(), hashlib.sha256).hexdigest()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"body": text, "seal": seal}, file)


if __name__ == "__main__":
    main(sys.argv[1])
