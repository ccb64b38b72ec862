"""The reviewer: an opinion on a change, recorded for the planner and for people. It gates nothing, ever."""

from __future__ import annotations

import re

from agentloop.core.chat import Message, Request
from agentloop.core.events import Judged
from agentloop.core.projection import data
from agentloop.prompts import prompt
from agentloop.roles.teller import Teller
from agentloop.state import State

SEVERITIES = ("none", "minor", "major")
MAX_PATCH = 60_000
"""Characters of a patch that a reviewer is shown."""


def review(teller: Teller, state: State, task: str, directive: str, patch: str, max_output: int) -> Judged:
    """Ask for an opinion on `patch` and record it. Raises what the teller raises."""
    shown = patch if len(patch) <= MAX_PATCH else patch[:MAX_PATCH] + "\n… cut"
    text = f"{directive}\n\n{data(shown)}"
    request = Request(system=prompt("reviewer"), messages=(Message(role="user", text=text),), max_output=max_output)
    reply = teller.ask(request, task)
    found = re.search(r"severity:\s*(\w+)", reply.text)
    whole = reply.stop == "end" and found is not None and found.group(1) in SEVERITIES
    severity = found.group(1) if whole and found else "unclear"
    judged = Judged(
        task=task, severity=severity, text=reply.text.strip()[:400], blob=state.log.put(reply.text.encode())
    )
    state.record(judged)
    return judged
