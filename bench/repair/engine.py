"""Drives the real repair search on a folder of files, in the sandbox, as the `rules` planner would, and measures it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agentloop.core.process import Ran
from agentloop.core.tree import FILE, Entry, Tree
from agentloop.host.bench import Benches
from agentloop.host.python import find_python
from agentloop.host.sandbox import choose
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import Bench
from agentloop.roles.rules import STEPS
from agentloop.wiring.session import KIT
from agentloop.workers.repair.search import Aim, Place, search, traced
from agentloop.workers.repair.standing import BORROW
from agentloop.workers.repair.worker import SECONDS
from bench.repair.case import Case, Limits, Mended, Tests
from bench.repair.meter import METER, Meter, busy

HERE = Path(__file__).parent
SUITE_SECONDS = 600.0


class Memory:
    """Blobs in memory, for a workspace of one case."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        """Keep `data`, return its name."""
        name = hashlib.sha256(data).hexdigest()
        self._blobs[name] = data
        return name

    def get(self, digest: str) -> bytes:
        """The bytes of that name."""
        return self._blobs[digest]


@contextmanager
def opened(case: Case) -> Iterator[tuple[Benches, Tree]]:
    """The means to run things on a case: the sandbox and environment of a real run, in a folder of its own."""
    blobs = Memory()
    tree = Tree({path: Entry(FILE, blobs.put(data), len(data)) for path, data in case.files.items()})
    with tempfile.TemporaryDirectory(prefix="repair-bench-") as work:
        workspace = DiskWorkspace(blobs, tree, Path(work) / "work")
        python = find_python(case.python, None, os.environ, sys.executable)
        readable = tuple(dict.fromkeys((sys.prefix, sys.base_prefix, KIT)))
        yield Benches(choose(None), workspace, python, KIT, readable), tree


def outcomes(bench: Bench, case: Case, targets: tuple[str, ...]) -> dict[str, str]:
    """Test id → outcome, from one plain run of pytest in a fresh process."""
    out = os.path.join(bench.scratch, "outcomes.json")
    Path(out).unlink(missing_ok=True)
    program = (HERE / "outcomes.py").read_text(encoding="utf-8")
    argv = (bench.python.executable, "-c", program, out, str(case.test_seconds), *targets)
    bench.launch(argv, SUITE_SECONDS, {"PYTEST_ADDOPTS": case.options})
    return dict(json.loads(Path(out).read_text(encoding="utf-8"))) if os.path.exists(out) else {}


def mend(case: Case, limits: Limits) -> Mended:
    """Search for a patch step by step until one is found or the time is spent, then judge it by the whole suite."""
    with opened(case) as (benches, tree):
        with benches.open(tree) as bench:
            before = case.known or outcomes(bench, case, case.suite)
        failing = tuple(sorted(test for test, what in before.items() if what == "failed" and _decides(case, test)))
        passing = tuple(sorted(test for test, what in before.items() if what == "passed"))
        if not failing:
            return Mended(why="no deciding test fails")
        with benches.open(tree) as bench:
            meter = Meter(bench.scratch, limits.slots)
            found = _stepwise(_place(bench, case, meter), meter, Tests(failing, passing), limits)
        if not found.plausible:
            return found
        best = found.plausible[0]
        patched = benches.workspace.changed(tree, {best.path: best.text})
        began = time.monotonic()
        with benches.open(patched) as bench:
            after = outcomes(bench, case, case.suite)
        gate = time.monotonic() - began
        red = any(after.get(test) != "passed" for test in failing)
        broken = tuple(test for test in passing if after.get(test) != "passed")
        return replace(found, red=red, broken=broken, gate=gate)


def _decides(case: Case, test: str) -> bool:
    return test.split("::")[0] in case.tests


def _place(bench: Bench, case: Case, meter: Meter) -> Place:
    def launch(argv: tuple[str, ...], seconds: float, env: Mapping[str, str]) -> Ran:
        metered = (bench.python.executable, "-c", METER, meter.out, *argv)
        ran = bench.launch(metered, seconds, {"PYTEST_ADDOPTS": case.options, **env})
        meter.add(ran.seconds)
        return ran

    return Place(
        folder=bench.folder,
        scratch=bench.scratch,
        kit=bench.kit,
        python=bench.python.executable,
        launch=launch,
        files={path: data for path, data in case.files.items() if path.endswith(".py")},
        allowed=case.allowed,
        borrow=BORROW,
    )


def _stepwise(place: Place, meter: Meter, tests: Tests, limits: Limits) -> Mended:
    """The steps of the `rules` planner, with the worker's seconds, within the limit of all."""
    made = Mended(failing=len(tests.failing))
    began = time.monotonic()
    trace = traced(place, Aim(tests.failing, tests.passing, "allowed", 1))
    made = replace(made, tracing=time.monotonic() - began)
    done: set[tuple[int, str]] = set()
    for edits, scope in STEPS:
        left = limits.cpu - made.cpu
        if (edits, scope) in done or left < 0.5:
            continue
        searched = tuple(name for number, name in done if number == edits)
        share = min(SECONDS[edits], left / limits.slots) * busy(limits.slots)
        spent, clock = meter.spent, time.monotonic()
        aim = Aim(tests.failing, tests.passing, scope, edits, searched, share, slots=limits.slots)
        found = search(place, aim, trace)
        made = replace(
            made,
            plausible=found.plausible,
            seconds=made.seconds + time.monotonic() - clock,
            cpu=made.cpu + meter.spent - spent,
            tried=made.tried + found.tried,
            step=f"{scope} {edits}",
            why=found.why or made.why,
        )
        done |= {(edits, scope), *((edits, name) for name in found.covered)}
        if found.plausible:
            break
    return made
