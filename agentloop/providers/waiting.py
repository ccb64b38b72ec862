"""How long a service asks to be left alone."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST = 86_400.0
"""Seconds: no wait is said to be longer."""

_IN_WORDS = re.compile(r"(?:try again|retry) in (\d+(?:\.\d+)?) ?(ms|s)\b", re.IGNORECASE)


def hinted_wait(headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Seconds to wait, from the headers or else the words of an answer; None where neither says.

    `headers` has lower-case names. A date in Retry-After is compared with the answer's own Date where there is
    one, so that a wrong clock on this machine does no harm, else with `now` (Unix seconds).
    """
    candidates = (
        _number(headers.get("retry-after-ms"), 0.001),
        _number(headers.get("retry-after"), 1.0),
        _until(headers.get("retry-after"), _instant(headers.get("date")) or now),
    )
    for seconds in candidates:
        if seconds is not None:
            return min(max(0.0, seconds), LONGEST)
    if said := _IN_WORDS.search(message):
        return min(float(said[1]) * (0.001 if said[2].lower() == "ms" else 1.0), LONGEST)
    return None


def _number(text: str | None, unit: float) -> float | None:
    try:
        value = float(text or "") * unit
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _instant(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, OverflowError):
        return None


def _until(text: str | None, now: float) -> float | None:
    then = _instant(text)
    return None if then is None else then - now
