"""The base of every value that is written down: frozen, closed, and of exact types."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class Frozen(BaseModel):
    """Immutable, no unknown keys, no silent conversion of one type into another."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def short(text: str, limit: int = 400) -> str:
    """`text` cut so that it takes at most `limit` bytes in a record's JSON; what can't be encoded becomes ``?``."""
    plain = text.encode("utf-8", "replace").decode()
    while len(json.dumps(plain, ensure_ascii=False).encode()) > limit + 2:
        over = len(json.dumps(plain, ensure_ascii=False).encode()) - limit
        plain = plain[: -max(1, over // 6 + 1) - plain.endswith("…")] + "…"
    return plain


Short = Annotated[str, AfterValidator(short)]
"""One line for people. What is longer than 400 bytes is cut, never refused."""

Passage = Annotated[str, AfterValidator(lambda text: short(text, 1_800))]
"""A few lines for people, cut at 1,800 bytes."""
