"""Runs pytest on a tree and writes a sealed report: ``python -P pytest_launch.py REQUEST``.

REQUEST is a JSON file with `tree`, `targets`, `wanted`, `options`, `canary`, `cache`, `report` and `nonce`. It is
read and deleted before any code of the tree runs, so the nonce stands in no file, argument or variable of the
environment. The report is ``{"body": TEXT, "seal": HMAC}``, written once, at the very end, by the process that
was started: what ends earlier (``os._exit`` in a test, a signal) leaves no report, and what changes it breaks
the seal.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib
import importlib.util
import json
import os
import sys
from typing import Any

KIT = os.path.dirname(os.path.abspath(__file__))


def main(request_file: str) -> None:
    process = os.getpid()
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(request_file)
    nonce = request.pop("nonce")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") not in (KIT, request["tree"])]
    body = observe(request)
    if os.getpid() == process:  # a test that forks and lets the child return ends up here a second time
        write(request["report"], body, nonce)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(body["exit"])  # nothing that a test left for the end of the process runs any more


def observe(request: dict[str, Any]) -> dict[str, Any]:
    """Run pytest; what it saw. `pytest` is its version, empty where it can't be imported."""
    try:
        pytest = importlib.import_module("pytest")
    except ImportError as error:
        return {"pytest": "", "why": str(error), "exit": 4}
    recorder = load("pytest_recorder").Recorder(request["tree"], request["wanted"], request["canary"])
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
    return {"pytest": pytest.__version__, "why": why, "exit": code, **recorder.found()}


def load(name: str) -> Any:
    """A module of this folder, which is not on sys.path."""
    spec = importlib.util.spec_from_file_location("agentloop_" + name, os.path.join(KIT, name + ".py"))
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path: str, body: dict[str, Any], nonce: str) -> None:
    text = json.dumps(body)
    seal = hmac.new(nonce.encode(), text.encode(), hashlib.sha256).hexdigest()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"body": text, "seal": seal}, file)


if __name__ == "__main__":
    main(sys.argv[1])
