"""Failures without what changes from run to run: two equal failures must give equal text."""

from __future__ import annotations

import re

_STEPS = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDR"),
    (re.compile(r"(?:/[\w.@+-]+)+/?"), "PATH"),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
    (re.compile(r"\s+"), " "),
)


def normal(text: str) -> str:
    """`text` with addresses, paths, numbers and spacing taken out, cut to 300 characters."""
    for pattern, word in _STEPS:
        text = pattern.sub(word, text)
    return text.strip()[:300]
