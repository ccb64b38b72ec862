"""What a model call used and what that costs. Money is counted in whole nano-dollars, always rounded up."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

NANO = 1_000_000_000
"""Nano-dollars in a dollar."""


class Usage(BaseModel):
    """Tokens of one call. `uncached + cached + written` is the whole input.

    `estimated` marks numbers that agentloop bounded itself because the service reported none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    uncached: int = Field(0, ge=0)
    cached: int = Field(0, ge=0)
    written: int = Field(0, ge=0)
    output: int = Field(0, ge=0)
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.uncached + self.cached + self.written + self.output


class Price(BaseModel):
    """US dollars per million tokens. `cached` and `written` default to the plain input price."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
    written: float | None = Field(None, ge=0)

    def cost(self, usage: Usage) -> int:
        """Nano-dollars for `usage`."""
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        parts = (
            (usage.uncached, self.input),
            (usage.cached, cached),
            (usage.written, written),
            (usage.output, self.output),
        )
        return sum(_nano(tokens, price) for tokens, price in parts)

    def worst(self, input_tokens: int, max_output: int) -> int:
        """Nano-dollars that a call may cost at most: all input at the dearest input price, all output used."""
        dearest = max(self.input, self.cached or 0.0, self.written or 0.0)
        return _nano(input_tokens, dearest) + _nano(max_output, self.output)

    def affordable(self, nano: int, input_tokens: int, most: int) -> int:
        """The largest answer, of at most `most` tokens, whose worst case costs at most `nano`; below 0 where not even
        the input fits."""
        left = nano - self.worst(input_tokens, 0)
        milli = _milli(self.output)
        return -1 if left < 0 else min(most, left * 1000 // milli if milli else most)


FREE = Price(input=0, output=0)


def _nano(tokens: int, usd_per_million: float) -> int:
    """Nano-dollars, rounded up: a dollar per million tokens is 1,000 nano-dollars a token."""
    return -(-tokens * _milli(usd_per_million) // 1000)


def _milli(usd_per_million: float) -> int:
    """Thousandths of a nano-dollar per token."""
    return round(usd_per_million * 1_000_000)


def dollars(nano: int) -> str:
    """`nano` as text for people: ``$0.0123``."""
    return f"${nano / NANO:.4f}"
