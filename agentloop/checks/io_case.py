"""Takes one case of an `io` check: one process on a fresh tree. What is expected of it never enters the sandbox."""

from __future__ import annotations

import json
import os
import posixpath
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentloop.checks.answer import NOT_RUNNABLE, exit_status
from agentloop.checks.io_compare import MODES, values
from agentloop.checks.run import shell
from agentloop.checks.scratch_file import read_scratch
from agentloop.core.process import Captured, Ran
from agentloop.ports import Bench

MAX_VALUE = 4 * 1024 * 1024
"""Bytes of JSON that a function may return."""


@dataclass(frozen=True)
class Taken:
    """How a case went: `why` is empty where it is as expected. `error`: it could not be taken at all."""

    argv: tuple[str, ...] = ()
    ran: Ran | None = None
    why: str = ""
    error: bool = False


def take_run(params: Mapping[str, Any], case: Mapping[str, Any], bench: Bench, seconds: float) -> Taken:
    """Run the program with the case's input, and compare what it printed and how it ended."""
    for path, text in case.get("files", {}).items():
        if not _put(bench.folder, path, text):
            return Taken(why=f"its file {path} can't be put in: something of that name is in the tree", error=True)
    argv = _argv(params["run"], case.get("args", []))
    ran = bench.launch(argv, seconds, {}, case.get("stdin", "").encode())
    code = case.get("exit", 0)
    if ran.missing or (ran.code in NOT_RUNNABLE and ran.code != code):
        return Taken(argv, ran, exit_status(ran)[1], error=True)
    if ran.code != code:
        last = ran.stderr.text.strip().splitlines()[-1:]
        ended = f"expected exit code {code}, found {ran.said}"
        return Taken(argv, ran, ": ".join([ended, *(line[:120] for line in last)]))
    compare, tolerance = params.get("compare", "lines"), params.get("tolerance", 1e-9)
    why = _differs("stdout", case, ran.stdout, compare, tolerance)
    return Taken(argv, ran, why or _differs("stderr", case, ran.stderr, "exact" if compare == "exact" else "lines", 0))


def take_call(params: Mapping[str, Any], case: Mapping[str, Any], bench: Bench, seconds: float) -> Taken:
    """Call the function with the case's arguments, and compare what it returned or raised."""
    run = secrets.token_hex(8)
    request, result = (os.path.join(bench.scratch, f"{run}-{name}") for name in ("request", "result"))
    asked = {"call": params["call"], "args": case.get("args", []), "kwargs": case.get("kwargs", {})}
    with open(request, "x", encoding="utf-8") as file:
        json.dump({**asked, "tree": bench.folder, "result": result}, file)
    argv = (bench.python.executable, os.path.join(bench.kit, "io_call.py"), request)
    ran = bench.launch(argv, seconds, bench.python.environ(bench.folder))
    if ran.missing or os.path.lexists(request):
        return Taken(argv, ran, f"{bench.python.executable} could not start: {ran.said}", error=True)
    data = read_scratch(bench.scratch, os.path.basename(result))
    if data is None or not ran.ok:
        return Taken(argv, ran, f"it ended without an answer ({ran.said})")
    return Taken(argv, ran, _returned(case, data, params.get("tolerance", 0.0)))


def _returned(case: Mapping[str, Any], data: bytes, tolerance: float) -> str:
    """How the answer in `data`, which the code under test may have written itself, differs from what is expected."""
    try:
        if len(data) > MAX_VALUE:
            raise ValueError(f"{len(data)} bytes")
        said = json.loads(data)
        (kind, value), text = said["answer"], str(said.get("text", ""))[:200]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return f"its answer can't be read: {str(error)[:120]}"
    if kind == "raised" and isinstance(value, list) and "raises" in case:
        return "" if case["raises"] in value else f"expected {case['raises']}, found {text}"
    if kind == "returned" and "returns" in case:
        try:
            return values(case["returns"], value, tolerance)
        except RecursionError:
            return "what it returned is nested too deep"
    wanted = f"expected {case['raises']}, " if "raises" in case else ""
    return wanted + (text or f"found {json.dumps(value)[:120]}")


def _differs(key: str, case: Mapping[str, Any], stream: Captured, compare: str, tolerance: float) -> str:
    if key not in case:
        return ""
    kept = stream.head + stream.tail
    if stream.total > len(kept):
        return f"{key}: {stream.total} bytes were printed, too many to compare"
    found = MODES[compare](case[key], kept.decode("utf-8", "surrogateescape"), tolerance)
    return f"{key}: {found}" if found else ""


def _argv(run: Any, args: list[str]) -> tuple[str, ...]:
    """A list of words gets the arguments behind it; a shell text as its last words, unless it says where."""
    if not isinstance(run, str):
        return (*run, *args)
    text = run.rstrip() + ' "$@"' if args and "$@" not in run and "$1" not in run else run
    return (*shell(text), "io", *args)


def _put(folder: str, path: str, text: str) -> bool:
    """Write a file of a case, without following a link of the tree or replacing anything."""
    root, target = os.path.realpath(folder), os.path.join(folder, posixpath.normpath(path))
    parent = os.path.realpath(os.path.dirname(target))
    if os.path.commonpath([root, parent]) != root:
        return False
    try:
        os.makedirs(parent, exist_ok=True)
        with open(target, "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError:
        return False
    return True
