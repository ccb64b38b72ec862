"""Digests and canonical JSON: the one way agentloop turns values into names."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import xxhash


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, no spaces and ASCII only, so that equal values give equal bytes.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def sha256(data: bytes) -> str:
    """The 64 hex digits that name a blob."""
    return hashlib.sha256(data).hexdigest()


def fingerprint(value: Any) -> str:
    """The 32 hex digits (xxh3-128 of the canonical JSON) that identify a value within a run."""
    return str(xxhash.xxh3_128_hexdigest(canonical(value)))
