"""Does no line of a log match a pattern?

Exit code: 0 none does; 1 some do (the first are printed with their numbers); 2 the question can't be answered
(usage, a log that is missing or empty, a --since that no line matches: silence proves nothing). PATTERN and REGEX
are regular expressions of Python, searched anywhere in a line; "(?i)" in front ignores case.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

SHOWN = 5
"""Lines that are printed at most."""


def main(argv: list[str] | None = None) -> int:
    """Answer for the command line `argv`; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", metavar="LOG", help="the file")
    parser.add_argument("pattern", metavar="PATTERN", type=_regex, help="what no line may hold")
    parser.add_argument("--since", metavar="REGEX", type=_regex, help="look from the first line that matches on")
    parser.add_argument("--allow-empty", action="store_true", help="a log without lines to look at is fine")
    args = parser.parse_args(argv)
    looked, hits = 0, 0
    first: list[tuple[int, str]] = []
    try:
        for number, line in _lines(args.log, args.since):
            looked += 1
            if args.pattern.search(line):
                hits += 1
                first += [(number, line)] if len(first) < SHOWN else []
    except FileNotFoundError:
        pass  # no file is a log without lines
    except OSError as error:
        print(f"no_log_line: can't say: {args.log}: {error.strerror}", file=sys.stderr)
        return 2
    if not looked and not args.allow_empty:
        print(f"no_log_line: can't say: {_nothing(args.log, args.since)}", file=sys.stderr)
        return 2
    for number, line in first:
        print(f"{args.log}:{number}: {line[:300]}")
    if hits:
        print(f"{args.log}: {hits} of {looked} lines match {args.pattern.pattern!r}; the first is line {first[0][0]}")
    return 1 if hits else 0


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def _lines(log: str, since: re.Pattern[str] | None) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends, from the one that matches `since` on. Raises OSError."""
    with Path(log).open(encoding="utf-8", errors="replace", newline="\n") as file:
        numbered = ((number, line.rstrip("\r\n")) for number, line in enumerate(file, 1))
        yield from dropwhile(lambda item: since is not None and not since.search(item[1]), numbered)


def _nothing(log: str, since: re.Pattern[str] | None) -> str:
    if not Path(log).exists():
        return f"{log} does not exist"
    if since and Path(log).stat().st_size:
        return f"no line of {log} matches --since {since.pattern!r}"
    return f"{log} is empty"


if __name__ == "__main__":
    sys.exit(main())
