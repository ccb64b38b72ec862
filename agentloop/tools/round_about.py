"""Ways in which a program that may be started writes files in place or starts others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agentloop.tools.sed_words import sed_writes

Words = tuple[str, ...]

MAX_WORD = 10_000
"""Characters of a word that is looked into."""


def round_about(argv: Words) -> str | None:
    """Why these arguments of a program that may be started are refused; None where they are not."""
    look = _LOOK.get(argv[0])
    if look and (long := max(map(len, argv))) > MAX_WORD:
        return f"a word of {long:,} characters is too long for {argv[0]}; put what it works on into a file"
    return look(argv[1:]) if look else None


def _find(rest: Words) -> str | None:
    acts = ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
    if used := next((word for word in rest if word in acts), None):
        return f"find with {used} is not allowed: let it list files, then use the other tools"
    return None


def _sed(rest: Words) -> str | None:
    if why := sed_writes(rest):
        return f"sed with {why} is not allowed: let it print, and change files with `edit`"
    return None


def _awk(rest: Words) -> str | None:
    """Text and patterns are taken out first: a bar in them starts nothing."""
    for before, word in zip(("", *rest), rest, strict=False):
        if before in ("-F", "-v") or word.startswith(("-F", "-v")):
            continue  # a separator or a value, no program
        if word.startswith("-") and word not in ("-", "--"):
            return f"awk with {word} is not allowed: give the program as a word, beside it only -F and -v"
        code = re.sub(r'"(?:\\.|[^"\\])*"|(?<![\w)\]$])\s*/(?:\\.|[^/\\\n])+/', " _ ", word)
        if re.search(r"\bsystem\s*\(", code) or re.search(r"(?<!\|)\|(?!\|)", code):
            return "awk that starts programs (system, a pipe) is not allowed: run the program itself"
    return None


def _git(rest: Words) -> str | None:
    for word in rest:
        if not word.startswith("-"):
            break
        if word.startswith("-c") or _long(word, "--config-env", 6) or _long(word, "--exec-path", 6):
            return f"git {word} is not allowed: settings can start programs"
    acts = ("--output", "--ext-diff", "--textconv")
    for word in rest:
        if word != "--text" and (option := next((long for long in acts if _long(word, long, 5)), None)):
            return f"git with {option} is not allowed: it writes files or starts programs"
    return None


def _rg(rest: Words) -> str | None:
    if any(_long(word, "--pre", 5) or _long(word, "--hostname-bin", 6) for word in rest):
        return "rg with --pre or --hostname-bin is not allowed: it starts programs"
    return None


def _sort(rest: Words) -> str | None:
    if any(_long(word, "--compress-program", 4) for word in rest):
        return "sort with --compress-program is not allowed: it starts programs"
    return None


def _long(word: str, option: str, least: int) -> bool:
    """Whether `word` is a long option or the beginning of one, at least so many characters of it."""
    name = word.partition("=")[0]
    return len(name) >= least and option.startswith(name)


_LOOK: Mapping[str, Callable[[Words], str | None]] = {
    "find": _find,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "git": _git,
    "rg": _rg,
    "sort": _sort,
}
"""Program → what looks at its arguments."""
