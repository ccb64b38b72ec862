"""Whether what a finding quotes stands in what its command printed when code ran it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentloop.core.normal import steady
from agentloop.core.process import Ran
from agentloop.core.visible import visible

PART = 10
"""Characters that a quoted piece of a line needs; what is shorter must be the whole line."""

_FRAME = re.compile(
    r"(?:exit code \d+|ended by signal \d+|timed out after .*|--- std(?:out|err)|`{3}\w*|…|\.\.\.|\[\.\.\.\]"
    r"|….* (?:bytes|characters) .*left out …)(?:; .* outlived it and were ended)?"
)
"""Lines that stand around output: how the command ended, which stream, that something was left out."""


def lines_of(ran: Ran) -> list[str]:
    """All that was printed, stdout before stderr, as a worker is shown it; without empty lines."""
    return _lines(f"{ran.stdout.text}\n{ran.stderr.text}")


def quoted_lines(output: str) -> list[str]:
    """The lines of a finding's output that say something: what stands around output is left away, and what
    holds neither letter nor digit."""
    return [line for line in _lines(output) if re.search(r"\w", line) and not _FRAME.fullmatch(line)]


def found_in(quoted: Sequence[str], printed: Sequence[str]) -> tuple[list[str], str]:
    """The printed lines that `quoted` are, in order, and the first quoted line that is not there, if there is one.

    What changes from run to run does not count. A piece of a line will do where it is PART characters or longer.
    """
    found: list[str] = []
    rest = iter(printed)
    for line in quoted:
        match = next((said for said in rest if _same(line, said)), None)
        if match is None:
            return found, line
        found.append(match)
    return found, ""


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in visible(text.replace("\r\n", "\n")).split("\n"))
    return [line for line in lines if line]


def _same(quoted: str, printed: str) -> bool:
    ours, theirs = steady(quoted), steady(printed)
    return ours == theirs or (len(ours) >= PART and ours in theirs)
