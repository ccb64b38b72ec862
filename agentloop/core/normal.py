"""Text without what changes from run to run: two equal things must give equal text."""

from __future__ import annotations

import re

_STEPS = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDR"),
    (re.compile(r"(?:/[\w.@+-]+)+/?"), "PATH"),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
    (re.compile(r"\s+"), " "),
)

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_VOLATILE = (
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "ADDR"),
    (re.compile(rf"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_CLOCK}(?:Z|[+-]\d{{2}}:?\d{{2}})?)?"), "TIME"),
    (re.compile(rf"\b{_CLOCK}\b"), "TIME"),
    (re.compile(r"(?<![\w./])(?:/[\w.@+-]+)*/([\w@+-]+(?:\.[\w@+-]+)+)(?![\w/])"), r"PATH/\1"),
    (re.compile(r"(?<![\w./])(?:/[\w.@+-]+){2,}/?"), "PATH"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|secs?|seconds?)\b"), "SPAN"),
    (re.compile(r"\b(pid|PID|process|duration_ms)([ =:]+)\d+(?:\.\d+)?\b"), r"\1\2N"),
    (re.compile(r"\s+"), " "),
)


_FAILING = re.compile(
    r"^E {2,}\S|^\s*(?:assert|AssertionError|FAIL|FAILED|not ok|panic|fatal)\b"
    r"|\b[A-Z]\w*(?:Error|Exception)\b|\berror\b",
    re.MULTILINE,
)


def first_failing(output: str) -> str:
    """The first line of `output` that tells of a failure, without its margin; empty where none does."""
    for line in output.splitlines():
        if _FAILING.search(line):
            return line.removeprefix("E ").strip()[:300]
    return ""


def normal(text: str) -> str:
    """`text` with addresses, paths, numbers and spacing taken out, cut to 300 characters."""
    for pattern, word in _STEPS:
        text = pattern.sub(word, text)
    return text.strip()[:300]


def steady(line: str) -> str:
    """A printed line without what differs although nothing was changed: addresses, clock times, spans of time,
    process numbers, and the folders of absolute paths. All other numbers stay. Cut to 4,000 characters."""
    line = line[:4_000]
    for pattern, word in _VOLATILE:
        line = pattern.sub(word, line)
    return line.strip()
