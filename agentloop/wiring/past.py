"""Finished and running runs, read from their logs without taking hold of them."""

from __future__ import annotations

import json
from pathlib import Path

from agentloop.core import events as e
from agentloop.core.cassette import Cassette
from agentloop.core.chat import Reply, Request
from agentloop.core.summary import Summary
from agentloop.core.usage import dollars
from agentloop.core.visible import visible
from agentloop.errors import LogDamaged, Refused
from agentloop.host.log import FileLog
from agentloop.host.runs import find_run, runs_root
from agentloop.state import State
from agentloop.view.files import markdown, result
from agentloop.wiring.options import now


def glance(folder: Path) -> str:
    """A run on one line; a damaged one is named as such, so that the others can still be listed."""
    try:
        state = State(FileLog.read_only(folder), now)
        folded = state.folded
        goal = " ".join(state.began.goal.split())[:60]
        end = folded.ended.end if folded.ended else "unfinished"
        money = dollars(folded.purse.nano + folded.purse.reserved_nano)
        return visible(f"{folder.name}  {end}  {folded.executed} ticks  {money}  {goal}")
    except LogDamaged as error:
        return visible(f"{folder.name}  log damaged: {error}")


def account(folder: Path) -> str:
    """What `show` prints: the summary of the run as its log tells it. Raises LogDamaged."""
    state = _state(folder)
    return markdown(_summary(state), state).rstrip()


def as_json(folder: Path) -> str:
    """The run as `result.json` holds it, made from the log. Raises LogDamaged."""
    state = _state(folder)
    kept = folder / "result.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    found = result(state, _summary(state), known.get("exit", -1), known.get("branch", ""), known.get("also", ""))
    return json.dumps(found, indent=2)


def cassette(runs: str | None, name: str) -> Cassette:
    """The replies that the run called `name` recorded. Raises Refused where there is no such run or it recorded none,
    and LogDamaged."""
    folder = find_run(runs_root(runs), name)
    log = FileLog.read_only(folder)
    replied = [stamped.event for stamped in log if isinstance(stamped.event, e.Replied)]
    if not replied:
        raise Refused(f"the run {folder.name} asked no model, so there is nothing to play back", "name another run")
    pairs = [
        (Request.model_validate_json(log.get(event.request)), Reply.model_validate_json(log.get(event.reply)))
        for event in replied
    ]
    return Cassette(folder.name, pairs)


def _state(folder: Path) -> State:
    log = FileLog.read_only(folder)
    kept = folder / "result.json"
    if kept.is_file() and (head := json.loads(kept.read_text()).get("head")):
        log.verify_head(head)
    return State(log, now)


def _summary(state: State) -> Summary:
    ended = state.folded.ended
    return state.summary(ended.end, ended.reason) if ended else state.summary("unfinished")
