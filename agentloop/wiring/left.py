"""What a finished run left outside of its log, compared with the log: patch, result, summary, branch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentloop.core.ends import SATISFIED
from agentloop.core.goal import Goal
from agentloop.core.patch import patch
from agentloop.errors import Refused
from agentloop.host.git.delivered import differences, holds, tip
from agentloop.host.git.source import open_source
from agentloop.host.log import FileLog
from agentloop.state import State
from agentloop.version import __version__
from agentloop.view.files import markdown, result
from agentloop.wiring.origin import branch_name, delivery

EXITS = (0, Refused.code)
"""Of a satisfied run: delivered, or recorded as satisfied where the branch or the checkout was in the way."""

BY_CLOCK = "minutes"
"""The one entry of the budget's account that goes on after the end."""


@dataclass(frozen=True)
class Found:
    """One thing that was looked at."""

    ok: bool
    what: str

    def __str__(self) -> str:
        return f"{'ok ' if self.ok else 'NO '} {self.what}"


def said(folder: Path) -> dict[str, Any]:
    """What result.json holds; nothing where it is not there or no such file."""
    try:
        value = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def files(folder: Path, log: FileLog, state: State) -> Iterator[Found]:
    """patch.diff, result.json and summary.md against what the log makes of them."""
    kept = folder / "patch.diff"
    same = kept.is_file() and kept.read_bytes() == patch(state.base, state.candidate, lambda t, p: log.get(t[p].blob))
    yield Found(same, "patch.diff: it is the change from base to the final tree")
    found = said(folder)
    wrong = _wrong(found, state)
    yield Found(
        not wrong,
        f"result.json: {', '.join(wrong)}: not what the log says" if wrong else "result.json: as the log has it",
    )
    if state.began.agentloop == __version__:
        shown = folder / "summary.md"
        summary = state.summary(SATISFIED.name, "", str(found.get("advice", "")))
        wanted = _lines(markdown(summary, state))
        there = shown.is_file() and _lines(shown.read_text(encoding="utf-8", errors="replace")) == wanted
        yield Found(there, "summary.md: it tells what the log holds")


def _wrong(found: dict[str, Any], state: State) -> list[str]:
    """The keys of result.json that say something else than the log. Another version's may have others."""
    free = {key: found.get(key, "") for key in ("branch", "also")}
    summary = state.summary(SATISFIED.name, "", str(found.get("advice", "")))
    wanted = json.loads(json.dumps(result(state, summary, found.get("exit", -1), **free)))
    wrong = [] if found.get("exit") in EXITS else ["exit"]
    if found.get("branch") not in ("", branch_name(state)):
        wrong.append("branch")
    ours = state.began.agentloop == __version__
    for key, value in wanted.items():
        there = found.get(key, None if ours else value)
        if isinstance(there, dict) and isinstance(value, dict):
            there, value = ({name: held for name, held in row.items() if name != BY_CLOCK} for row in (there, value))
        if there != value or type(there) is not type(value):
            wrong.append(key)
    return sorted(set(wrong))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(f"- {BY_CLOCK}: ")]


def branch(folder: Path, goal: Goal, log: FileLog, state: State) -> Iterator[Found]:
    """The commit that the run's branch points at, where the repository is to be had and the branch is still there."""
    if goal.copy_from is not None:
        yield Found(True, "branch: none, the run was on a plain folder")
        return
    name = branch_name(state)
    try:
        source = replace(open_source(Path(goal.home) / (goal.repo or ".")), head=state.began.base_commit)
    except Refused as refusal:
        yield Found(True, f"branch: not compared; {refusal.what}")
        return
    if not holds(source):
        yield Found(True, f"branch: not compared; {source.toplevel} does not hold the commit {source.head}")
        return
    commit = tip(source, name)
    if commit is None:
        yield Found(True, f"branch {name}: not there (any more), so nothing to compare")
        return
    wrong = differences(source, commit, delivery(state, log.head))
    what = "; ".join(wrong) or "base commit plus the change, bound to this run, tree and log"
    yield Found(not wrong, f"branch {name}: commit {commit[:12]}: {what}")
