"""The planner's closing summary: a few words for people, from the record. Nothing reads them."""

from __future__ import annotations

from agentloop.core.chat import Message, Request
from agentloop.core.events import Closed
from agentloop.core.projection import data
from agentloop.errors import Stopped
from agentloop.prompts import prompt
from agentloop.roles.teller import Teller
from agentloop.state import State

OUTPUT = 1_024
"""Tokens of a closing summary."""


def close(teller: Teller, state: State, end: str, reason: str) -> str:
    """Ask for the summary and record it; why there is none, empty where there is one. Whatever comes of it, the run
    ends as it would without."""
    record = str(state.summary(end, reason))
    request = Request(
        system=prompt("closing"), messages=(Message(role="user", text=data(record[:20_000])),), max_output=OUTPUT
    )
    try:
        reply = teller.ask(request)
    except Stopped as stop:
        return f"no closing summary: {stop.reason}"
    if reply.stop != "end" or not reply.text.strip():
        return "no closing summary: the answer was not whole"
    state.record(Closed(text=reply.text.strip(), blob=state.log.put(reply.text.encode())))
    return ""
