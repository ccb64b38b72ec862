"""Keeps keys out of what is shown and logged."""

from __future__ import annotations

import re

from agentloop.providers.endpoint import NO_KEY

HIDDEN = "[key]"
LONGEST = 300
"""Characters of a reason."""

_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk)-[\w*.-]{4,}|(?<=Bearer )\S+|(?<=://)[^/\s@]+@", re.IGNORECASE)


def redact(text: str, key: str) -> str:
    """`text` in one line of at most LONGEST characters, without `key` and without whatever looks like one."""
    if key and key != NO_KEY:
        text = text.replace(key, HIDDEN)
    line = " ".join(_KEY_LIKE.sub(HIDDEN, text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
