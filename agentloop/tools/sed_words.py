"""Tells a sed that only prints from one that writes files or starts programs: what is not known as plain is refused."""

from __future__ import annotations

import re


def _part(mark: str) -> str:
    """A pattern up to the delimiter `mark`; there is none in its brackets, where seds read it differently."""
    return rf"(?:\\.|\[\^?+\]?+(?:\[:\w++:\]|(?!{mark})[^][\n])*+\]|(?!{mark})[^\\[\n])*+"


_ADDRESS = rf"(?:\d++(?:~\d++)?+|\$|/{_part('/')}/[IM]*+)"
_SUBSTITUTE = rf"s(?P<d>[/|,:#@%]){_part('(?P=d)')}(?P=d)(?:\\.|(?!(?P=d))[^\\\n])*+(?P=d)[gpiImM\d]*+"
_STEP = re.compile(
    rf"[\s;}}]*+(?:{_ADDRESS}(?:,[+~]?+{_ADDRESS})?+)?+\s*+!?+\s*+"
    rf"(?:[{{=dDgGhHlnNpPxzF]|[qQ]\d*+|:[ \t]*+\w++|[btT][ \t]*+\w*+|{_SUBSTITUTE})[\s;}}]*+",
    re.DOTALL,
)
"""One command that writes nothing and starts nothing, with its addresses and what separates it from the next."""

_FLAG = re.compile(r"-[nErsuz]++|--(?:quiet|silent|regexp-extended|null-data|separate|unbuffered|posix|sandbox)")
_SCRIPT = re.compile(r"(?:-[nErsuz]*+e|--expression(?:=|$))(.*+)", re.DOTALL)


def sed_writes(words: tuple[str, ...]) -> str | None:
    """What in the arguments of sed may write files or start programs; None where nothing does."""
    scripts: list[str] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands += rest
        elif found := _SCRIPT.fullmatch(word):
            scripts.append(found[1] or next(rest, ""))
        elif word.startswith("-") and word != "-":
            if not _FLAG.fullmatch(word):
                return f"the option {word}"
        else:
            operands.append(word)
    return next(filter(None, map(_unknown, scripts or operands[:1])), None)


def _unknown(script: str) -> str | None:
    """Where a script stops being plain."""
    at = 0
    while at < len(script):
        step = _STEP.match(script, at)
        if step is None:
            return f"{script[at : at + 20]!r} (not known to only print)"
        at = step.end()
    return None
