"""The cases of an `io` check: where they are read from, what they may hold, and what is wrong with them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from agentloop.checks.documents import document
from agentloop.checks.io_compare import MODES
from agentloop.checks.parameters import key_problems, path_problems

MAX_CASES = 500
MAX_TEXT = 120_000
"""Characters of an expected text: what a program prints is kept whole up to a little more."""

RUN_KEYS = ("name", "args", "stdin", "files", "stdout", "stderr", "exit")
CALL_KEYS = ("name", "args", "kwargs", "returns", "raises")


def read_cases(files: Mapping[str, bytes]) -> list[Any]:
    """The cases in one .json, .yaml or .yml file (a list), or in a folder's pairs ``NAME.in`` (stdin) and ``NAME.out``
    (stdout). Raises ValueError."""
    if len(files) == 1:
        ((path, data),) = files.items()
        if path.lower().endswith((".json", ".yaml", ".yml")):
            form = "json" if path.lower().endswith(".json") else "yaml"
            try:
                found = document(data, form)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            if not isinstance(found, list):
                raise ValueError(f"{path}: a list of cases is wanted")
            return found
    cases = []
    for path in sorted(files):
        stem, ending = posixpath.splitext(path)
        if ending == ".in":
            if f"{stem}.out" not in files:
                raise ValueError(f"{path} has no {stem}.out beside it")
            texts = [files[name].decode("utf-8") for name in (path, f"{stem}.out")]
            cases.append({"name": posixpath.basename(stem), "stdin": texts[0], "stdout": texts[1]})
    if not cases:
        raise ValueError("no cases: a .json or .yaml file with a list of them, or a folder with NAME.in and NAME.out")
    return cases


def names(cases: list[Any]) -> list[str]:
    """The id of each case: its name, else its number."""
    return [str(case.get("name") or f"case {number}") for number, case in enumerate(cases, 1)]


def case_problems(cases: list[Any], call: bool, compare: str) -> list[str]:
    """Everything wrong with the cases of a check that runs a program or, with `call`, calls a function."""
    if not cases or len(cases) > MAX_CASES:
        return [f"{len(cases)} cases; between 1 and {MAX_CASES} are possible"]
    if odd := [case for case in cases if not isinstance(case, dict)]:
        return [f"a case is a map, such as {'{args: [1, 2], returns: 3}' if call else '{stdin: x, stdout: y}'}; "
                f"found {odd[0]!r}"]  # fmt: skip
    found = [f"name must be text; found {c['name']!r}" for c in cases if not isinstance(c.get("name", ""), str)]
    ids = names(cases)
    found += [f"the name {name!r} is given to two cases" for name in sorted({n for n in ids if ids.count(n) > 1})]
    for name, case in zip(ids, cases, strict=True):
        found += [f"{name}: {why}" for why in (_call(case) if call else _run(case, compare))]
    return found


def _run(case: dict[str, Any], compare: str) -> list[str]:
    found = key_problems(case, RUN_KEYS)
    if not {"stdout", "stderr", "exit"} & case.keys():
        found.append("it expects nothing, so it can't fail; give stdout, stderr or exit")
    args = case.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) and "\0" not in arg for arg in args):
        found.append(f"args must be a list of texts (numbers in quotes); found {args!r}")
    for key in ("stdin", "stdout", "stderr"):
        if key in case and not (key == "stdout" and compare == "json"):
            found += _text_problems(key, case[key])
    if compare == "json" and "stdout" in case:
        found += _json_problems(case["stdout"])
    code = case.get("exit", 0)
    if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code <= 255:
        found.append(f"exit must be a whole number from 0 to 255; found {code!r}")
    files = case.get("files", {})
    if not isinstance(files, dict):
        return [*found, f"files must be a map from path to text; found {files!r}"]
    for path, text in files.items():
        found += path_problems("a file's name", path) + _text_problems(f"file {path}", text)
    return found


def _call(case: dict[str, Any]) -> list[str]:
    found = key_problems(case, CALL_KEYS)
    if ("returns" in case) == ("raises" in case):
        found.append("exactly one of returns and raises is wanted: without either it can't fail")
    if not isinstance(case.get("args", []), list):
        found.append(f"args must be a list; found {case['args']!r}")
    if not isinstance(case.get("kwargs", {}), dict):
        found.append(f"kwargs must be a map; found {case['kwargs']!r}")
    if not isinstance(case.get("raises", "E"), str) or not case.get("raises", "E").isidentifier():
        found.append(f"raises must be the name of an exception, such as ValueError; found {case['raises']!r}")
    return found


def _text_problems(key: str, value: Any) -> list[str]:
    if not isinstance(value, str):
        return [f"{key} must be text; found {value!r}; put it in quotes"]
    return [f"{key} has {len(value)} characters; at most {MAX_TEXT}"] if len(value) > MAX_TEXT else []


def _json_problems(expected: Any) -> list[str]:
    try:
        if isinstance(expected, str):
            document(expected.encode(), "json")
    except ValueError as error:
        return [f"stdout: {error}"]
    return []


COMPARE = tuple(MODES)
