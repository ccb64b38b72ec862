"""The kind `io`: the program is run on inputs, and what it gave is compared in our own process."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from agentloop.checks.answer import answer, listed
from agentloop.checks.io_case import Taken, take_call, take_run
from agentloop.checks.io_cases import COMPARE, case_problems, names, read_cases
from agentloop.checks.parameters import judging_files, key_problems, normal, path_problems, text_list_problems
from agentloop.checks.run import text_problems
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.tree import LINK, Tree
from agentloop.ports import Bench

KEYS = ("run", "call", "cases", "compare", "tolerance", "timeout")
SECONDS = 10.0
"""Of one case, unless the check says otherwise."""

_CALL = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class Io:
    """``io: {run: SHELL or [WORDS], cases: [{args, stdin, files, stdout, stderr, exit}], compare: lines}`` or
    ``{call: MODULE:FUNCTION, cases: [{args, kwargs, returns | raises}]}``; `cases` may be a file or folder.

    Each case is a process of its own on a fresh tree. `compare` is exact, lines (the default), unordered, json or
    numbers; `tolerance` is for numbers, `timeout` in seconds for each case. Without `exit` a case must exit 0.
    """

    kind = "io"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the program, the way of comparing, and the cases where they stand here."""
        if not isinstance(params, dict):
            return [f"io wants a map with run or call, and cases; found {params!r}"]
        found = key_problems(params, KEYS) + _program_problems(params)
        found += _number_problems(params)
        compare = params.get("compare", "lines")
        if compare not in COMPARE:
            return [*found, f"compare must be one of {', '.join(COMPARE)}; found {compare!r}"]
        if "call" in params and "compare" in params:
            found.append("compare is for run; what a function returns is compared as a JSON value")
        cases = params.get("cases")
        if isinstance(cases, str):
            return found + path_problems("cases", cases)
        if not isinstance(cases, list):
            return [*found, f"cases must be a list of cases, or a file or folder of the tree; found {cases!r}"]
        return found + case_problems(cases, "call" in params, compare)

    def files(self, params: Any) -> list[str]:
        """The cases, and the scripts and expected output that the command names."""
        run = params.get("run", [])
        named = judging_files(run.split() if isinstance(run, str) else run)
        return sorted({*named, *([normal(params["cases"])] if isinstance(params["cases"], str) else [])})

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Take each case that is expected, or all where none are known yet."""
        params = spec.params
        try:
            cases, tree = _found(params, bench)
        except ValueError as error:
            return answer(spec, bench, "error", str(error))
        taken: dict[str, Taken] = {}
        deadline = time.monotonic() + spec.timeout
        for name, case in cases.items():
            if bench.expected and name not in bench.expected:
                continue
            seconds = min(float(params.get("timeout", SECONDS)), deadline - time.monotonic())
            if seconds <= 0:
                taken[name] = Taken(why=f"not run: the check's {spec.timeout:g} s are over")
                continue
            with bench.again(tree) as place:
                taken[name] = (take_call if "call" in params else take_run)(params, case, place, seconds)
                touched = place.disturbed()
            if touched:
                return answer(spec, bench, "tamper", f"{name}: while it ran, {touched!r} was changed", taken[name].ran)
            if taken[name].error:
                return answer(
                    spec, bench, "error", f"{name}: {taken[name].why}", taken[name].ran, argv=taken[name].argv
                )
        return _judged(spec, bench, taken)


def _judged(spec: CheckSpec, bench: Bench, taken: Mapping[str, Taken]) -> CheckResult:
    bad = {name: case.why for name, case in taken.items() if case.why}
    bad |= {name: "no such case any more" for name in bench.expected or () if name not in taken}
    reason = f"{len(bad)} of {len(taken)} cases: {listed(f'{name}: {why}' for name, why in bad.items())}" if bad else ""
    told = next((case for case in taken.values() if case.why), next(iter(taken.values()), Taken()))
    result = answer(
        spec,
        bench,
        "failed" if bad else "passed",
        reason,
        told.ran,
        argv=told.argv,
        ids=sorted(name for name in taken if name not in bad),
        failing=sorted(bad),
        strength="out-of-process",
    )
    return result.model_copy(update={"seconds": sum(case.ran.seconds for case in taken.values() if case.ran)})


def _found(params: Mapping[str, Any], bench: Bench) -> tuple[dict[str, dict[str, Any]], Tree]:
    """Name → case, and the tree to run on: without the file of the cases, which hold the answers. Raises ValueError."""
    cases, tree = params["cases"], bench.tree
    if isinstance(cases, str):
        place = normal(cases)
        held = [path for path in tree if path == place or path.startswith(f"{place}/")]
        if not held:
            raise ValueError(f"cases: no such file: {cases}")
        if links := [path for path in held if tree[path].mode == LINK]:
            raise ValueError(f"cases: {links[0]} is a link; a plain file is wanted")
        cases = read_cases({path: bench.read(tree, path) for path in held})
        if found := case_problems(cases, "call" in params, params.get("compare", "lines")):
            raise ValueError("; ".join(found[:3]))
        tree = Tree({path: entry for path, entry in tree.items() if path not in held})
    return dict(zip(names(cases), cases, strict=True)), tree


def _program_problems(params: Mapping[str, Any]) -> list[str]:
    if ("run" in params) == ("call" in params):
        return ["exactly one of run and call is wanted"]
    if "call" in params:
        named = isinstance(params["call"], str) and _CALL.fullmatch(params["call"])
        return [] if named else [f"call must be MODULE:FUNCTION, such as shop.cart:total; found {params['call']!r}"]
    if not isinstance(params["run"], str):
        return text_list_problems("run", params["run"])
    # A command that always exits 0 is no problem here: what it prints decides.
    return [problem for problem in text_problems(params["run"]) if "can't fail" not in problem]


def _number_problems(params: Mapping[str, Any]) -> list[str]:
    given = {key: params[key] for key in ("tolerance", "timeout") if key in params}
    return [
        f"{key} must be a number above 0; found {value!r}"
        for key, value in given.items()
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0
    ]
