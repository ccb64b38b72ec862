"""Runs pytest on a bench by way of the kit's launcher, and reads the sealed report that it leaves."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import posixpath
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agentloop.checks.canary import canary_name, canary_text
from agentloop.checks.expected_ids import Seen
from agentloop.checks.scratch_file import read_scratch
from agentloop.core.process import Ran
from agentloop.ports import Bench

USAGE_ERROR = 4
"""pytest's exit code for arguments it can't work with."""


@dataclass(frozen=True)
class Report:
    """What the launcher saw. `pytest` is its version, empty where it can't be imported (`why` says how).

    `started`: a session began. `conftest_failed`: a conftest.py raised. `canary` is the planted test's outcome,
    empty where it did not run. `collected` are the ids before any was left out.
    """

    pytest: str
    why: str
    exit: int
    started: bool
    conftest_failed: bool
    collected: tuple[str, ...]
    seen: Seen
    canary: str


@dataclass(frozen=True)
class PytestRun:
    """One run: the process, its report (None where it left none, or one that is not whole), and whether the
    launcher began at all."""

    ran: Ran
    argv: tuple[str, ...]
    report: Report | None
    began: bool


def run_pytest(
    bench: Bench, targets: Sequence[str], wanted: Iterable[str], options: Sequence[str], timeout: float
) -> PytestRun:
    """Run the tests in `targets` (files and folders of the tree) that `wanted` names, in one process.

    `timeout` is in seconds. A canary is planted beside the first target; where pytest can't work with it (its
    configuration ignores such files) the tests run once more without.
    """
    canary = _plant(bench, targets[0])
    request = {"tree": bench.folder, "wanted": sorted(set(wanted)), "options": list(options)}
    try:
        extra = [canary] if canary else []
        run = _launch(bench, {**request, "targets": [*targets, *extra], "canary": canary}, timeout)
    finally:
        if canary:
            _uproot(bench, canary)
    if canary and run.report and run.report.exit == USAGE_ERROR and run.report.started:
        return _launch(bench, {**request, "targets": list(targets), "canary": ""}, timeout)
    return run


def _launch(bench: Bench, request: dict[str, Any], timeout: float) -> PytestRun:
    nonce, run = secrets.token_hex(32), secrets.token_hex(8)
    places = {name: os.path.join(bench.scratch, f"{run}-{name}") for name in ("request", "report", "cache")}
    body = {**request, "report": places["report"], "cache": places["cache"], "nonce": nonce}
    with open(places["request"], "x", encoding="utf-8") as file:
        json.dump(body, file)
    safe = ("-P",) if _version(bench.python.version) >= (3, 11) else ()
    argv = (bench.python.executable, *safe, os.path.join(bench.kit, "pytest_launch.py"), places["request"])
    # The bench keeps byte code apart, so that a stale or planted .pyc beside the source is never what runs.
    ran = bench.launch(argv, timeout, bench.python.environ(bench.folder))
    began = not os.path.lexists(places["request"])
    sealed = read_scratch(bench.scratch, os.path.basename(places["report"])) if began else None
    return PytestRun(ran, argv, _opened(sealed, nonce) if sealed else None, began)


def _opened(sealed: bytes, nonce: str) -> Report | None:
    """The report, if it is whole and the seal holds."""
    try:
        outer = json.loads(sealed)
        text, seal = outer["body"], outer["seal"]
        mine = hmac.new(nonce.encode(), text.encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(mine, seal):
            return None
        body = json.loads(text)
        return Report(
            pytest=str(body["pytest"]),
            why=str(body["why"]),
            exit=int(body["exit"]),
            started=bool(body.get("started")),
            conftest_failed=bool(body.get("conftest_failed")),
            collected=tuple(body.get("collected", ())),
            seen=Seen(dict(body.get("outcomes", {})), dict(body.get("errors", {}))),
            canary=str(body.get("canary", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _plant(bench: Bench, target: str) -> str:
    """Write a canary beside `target`; its path in the tree, empty where that can't be done safely."""
    folder = posixpath.dirname(target) if target in bench.tree else target
    folder = "" if folder == "." else folder
    root, place = os.path.realpath(bench.folder), os.path.join(bench.folder, folder)
    real = os.path.realpath(place)
    if os.path.commonpath([root, real]) != root or not os.path.isdir(real):
        return ""
    path = canary_name(folder, {posixpath.basename(name) for name in bench.tree})
    try:
        with open(os.path.join(bench.folder, path), "x", encoding="utf-8") as file:
            file.write(canary_text(path))
    except OSError:
        return ""
    return path


def _uproot(bench: Bench, path: str) -> None:
    try:
        os.unlink(os.path.join(bench.folder, path))
    except OSError:
        return  # the code under test took it away itself


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)
