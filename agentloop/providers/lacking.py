"""What a service left out of its answer, or did otherwise than it was asked: noticed, said, never taken for well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentloop.core.chat import Reply


def noticed(body: dict[str, Any], gone: Sequence[str], reply: Reply, asked: str) -> tuple[str, ...]:
    """In words: the parameters that were refused (`gone`), and what is missing from the answer in `body`."""
    found = [f"{name} was refused and left out" for name in gone]
    if reply.usage.estimated:
        found.append("no usage was reported; its upper bound is taken")
    if reply.stop == "unknown":
        found.append("no known finish reason")
    answered = body.get("model")
    if not isinstance(answered, str) or not answered:
        found.append("no model name")
    elif not _same(asked, answered):
        found.append(f"asked for {asked}, answered by {answered[:80]}")
    return tuple(found)


def _same(asked: str, answered: str) -> bool:
    """Services answer with a dated name (``m-2026-01-01``) or without a vendor's prefix; both mean the same."""
    short, long = sorted((asked.rpartition("/")[2].lower(), answered.rpartition("/")[2].lower()), key=len)
    return long.startswith(short)
