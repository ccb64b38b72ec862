"""The base of every value that is written down: frozen, closed, and of exact types."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Immutable, no unknown keys, no silent conversion of one type into another."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
