"""From a goal file to a Goal, or to every problem that stands in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any

import yaml

from agentloop.core.goal import MAX_CHECKS, Budget, Goal
from agentloop.errors import GoalFileError, Problem, Refused
from agentloop.ports import Check
from agentloop.wiring.goalfile.hidden import Hiding
from agentloop.wiring.goalfile.keys import goal_record
from agentloop.wiring.goalfile.nodes import MAX_BYTES, Mapping, Node, Problems, compose, what
from agentloop.wiring.goalfile.types import MISSING

DROPPED = ("network", "planner_examples")
"""Keys that so far have one possible value each, and so need no place in a Goal."""

ROLES = ("accept", "guard", "hidden")
"""Keys that hold checks."""


def load_goal(path: str | Path, kinds: MappingOf[str, Check]) -> Goal:
    """The goal in the file at `path`. Raises GoalFileError with all problems, or Refused where it can't be read."""
    file = Path(path)
    return read_goal(_bytes(file), str(path), file.absolute().parent, kinds, file.absolute())


def goal_from(data: MappingOf[str, Any], home: Path, kinds: MappingOf[str, Check]) -> Goal:
    """The goal that `data` holds, as a goal file would; places in problems are those of its YAML form."""
    text = yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False)
    return read_goal(text.encode(), "goal", home, kinds)


def read_goal(data: bytes, name: str, home: Path, kinds: MappingOf[str, Check], file: Path | None = None) -> Goal:
    """The goal in the bytes `data`; `name` is what messages call the file, `home` what its paths are relative to, and
    `file` where it lies, if it does."""
    _refuse_at_once(data, name)
    problems = Problems(name, data.decode("utf-8"))
    node = compose(data, problems)
    if node is None or not isinstance(node, Mapping):
        if node is not None:
            problems.say(node, f"found {what(node)}; a goal file is a map: `goal: …`, `accept: …`")
        problems.check()
        problems.at(1, 1, "the file is empty; `agentloop init` writes one to start from")
    problems_of = lambda kind, params: kinds[kind].problems(params)  # noqa: E731
    values = goal_record(problems_of).read(node, problems) if node else {}
    if values is MISSING or not isinstance(node, Mapping):
        values = {}
    root = home / str(values.get("copy") or values.get("repo") or ".")
    goal = _goal(values, node, problems, Hiding(home, root, file, problems_of))
    problems.check()
    assert goal is not None
    return goal


def _goal(values: dict[str, Any], node: Node | None, problems: Problems, hiding: Hiding) -> Goal | None:
    if not isinstance(node, Mapping):
        return None
    places = {key.text: key for key, _ in node.entries}
    if "repo" in places and "copy" in places:
        problems.say(places["copy"], "`repo` and `copy` exclude each other; keep one")
    hidden_from = _hide(values, node, problems, hiding)
    if sum(len(values.get(role, ())) for role in ROLES) > MAX_CHECKS:
        problems.say(places["accept"], f"more than {MAX_CHECKS} checks in `accept`, `guard` and `hidden` together")
    budget = Budget(**values.pop("budget", {}))
    if budget.usd is None and budget.tokens is None and budget.ticks is None:
        problems.say(places["budget"], "nothing limits the run; give one of usd, tokens and ticks")
    try:
        problems.check()
    except GoalFileError:
        return None
    copy_from = values.pop("copy", None)
    for name in DROPPED:
        values.pop(name, None)
    repo = values.pop("repo", ".") if copy_from is None else None
    return Goal(**values, home=str(hiding.home), hidden_from=hidden_from, repo=repo, copy_from=copy_from, budget=budget)


def _hide(values: dict[str, Any], node: Mapping, problems: Problems, hiding: Hiding) -> str:
    """Put the whole hidden checks in place of what the goal file says of them; the file that they were read from."""
    given = values.pop("hidden", None)
    if given is None:
        return ""
    place = next(value for key, value in node.entries if key.text == "hidden")
    values["hidden"] = hiding.bound(given, place, problems)
    shown = {(hiding.home / item.file).resolve() for item in values.get("evidence", ()) if item.file}
    names = [given] if isinstance(given, str) else []
    folder = (hiding.home / names[0]).parent if names else hiding.home
    kept = [hiding.home / name for name in names]
    kept += [folder / file.path for spec in values["hidden"] for file in spec.files]
    if any(path.resolve() in shown for path in kept):
        problems.say(place, "a file of the hidden checks is listed under `evidence`, which every model is shown")
    return names[0] if names else ""


def _bytes(file: Path) -> bytes:
    if not file.exists():
        raise Refused(f"{file}: there is no such file", "`agentloop init` writes one to start from")
    if file.is_dir():
        raise Refused(f"{file} is a folder", f"name the goal file in it, such as {file / 'goal.yaml'}")
    try:
        if (size := os.path.getsize(file)) > MAX_BYTES:
            raise Refused(f"{file} has {size // 1024} KiB", f"a goal file has at most {MAX_BYTES // 1024} KiB")
        return file.read_bytes()
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}", "make it readable") from error


def _refuse_at_once(data: bytes, name: str) -> None:
    """What makes the rest unreadable: not UTF-8, a byte order mark, control characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        what_is = f"not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        raise GoalFileError(name, (Problem(line, column, what_is),)) from error
    if text.startswith("\ufeff"):
        raise GoalFileError(name, (Problem(1, 1, "a byte order mark stands first; save the file without one"),))
    found = []
    for number, row in enumerate(text.split("\n"), 1):
        for column, ch in enumerate(row, 1):
            if (ord(ch) < 32 and ch not in "\t\r") or 127 <= ord(ch) < 160 or ch in "\ufffe\uffff":
                found.append(Problem(number, column, f"a control character (\\x{ord(ch):02x}); take it out"))
        indent = row[: len(row) - len(row.lstrip(" \t"))]
        if "\t" in indent and row.strip():
            found.append(Problem(number, indent.index("\t") + 1, "a tab indents this line; use spaces", row))
    if found:
        raise GoalFileError(name, tuple(found))
