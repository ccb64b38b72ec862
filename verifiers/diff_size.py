"""Is a patch small enough?

Exit code: 0 it is; 1 it is not, or it changes a binary file, whose size has no lines; 2 the question can't be
answered (usage, a file that is missing or no unified diff). Counted are added plus removed lines, as the hunks
hold them, and the files that the patch touches, renamed and deleted ones included. An empty patch is small.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_BINARY = (b"GIT binary patch", b"Binary files ")
_COMBINED = (b"diff --cc ", b"diff --combined ", b"@@@ ")


class CannotSay(Exception):
    """The question can't be answered, and why."""


@dataclass
class Size:
    """What a patch amounts to."""

    lines: int = 0
    files: int = 0
    binary: int = 0


def main(argv: list[str] | None = None) -> int:
    """Answer for the command line `argv`; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patch", metavar="PATCH", help="a unified diff, as git or diff -u make it; - reads stdin")
    parser.add_argument("--max-lines", metavar="N", type=_count, required=True, help="added plus removed lines")
    parser.add_argument("--max-files", metavar="N", type=_count, help="files touched")
    args = parser.parse_args(argv)
    try:
        data = sys.stdin.buffer.read() if args.patch == "-" else Path(args.patch).read_bytes()
        size = measured(data)
    except OSError as error:
        print(f"diff_size: can't say: {args.patch}: {error.strerror}", file=sys.stderr)
        return 2
    except CannotSay as reason:
        print(f"diff_size: can't say: {args.patch}: {reason}", file=sys.stderr)
        return 2
    problems = []
    if size.binary:
        problems.append(f"it changes {size.binary} binary file(s), whose size has no lines")
    if size.lines > args.max_lines:
        problems.append(f"{size.lines} lines are added or removed; at most {args.max_lines} are allowed")
    if args.max_files is not None and size.files > args.max_files:
        problems.append(f"{size.files} files are touched; at most {args.max_files} are allowed")
    if problems:
        print(f"{args.patch}: " + "; ".join(problems))
    return 1 if problems else 0


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 0 or more")
    return int(text)


def measured(data: bytes) -> Size:
    """The size of the patch `data`. Raises CannotSay where it is no unified diff."""
    lines = data.removesuffix(b"\n").split(b"\n")
    size, at, named = Size(), 0, False
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else b""
        if line.startswith(_COMBINED):
            raise CannotSay(f"line {at + 1}: a diff of a merge; give one against a single parent")
        if line.startswith(b"diff --git "):
            size.files, named = size.files + 1, True
        elif line.startswith(b"--- ") and following.startswith(b"+++ "):
            size.files, named, at = size.files + (not named), False, at + 1
        elif line.startswith(_BINARY):
            size.binary += 1
        elif hunk := _HUNK.match(line):
            if not size.files:
                raise CannotSay(f"line {at + 1}: a hunk without a file")
            at = _through(lines, at, hunk, size)
            named = False
        at += 1
    if not size.files and not size.binary and data.strip():
        raise CannotSay("it is no unified diff: no file header was found")
    return size


def _through(lines: list[bytes], start: int, hunk: re.Match[bytes], size: Size) -> int:
    """Count the hunk whose header is line `start`; the index of its last line."""
    old, new = (1 if count is None else int(count) for count in hunk.groups())
    at = start
    while old > 0 or new > 0:
        at += 1
        sign = lines[at][:1] if at < len(lines) else b"end"
        if sign not in (b"+", b"-", b" ", b"", b"\\"):
            raise CannotSay(f"line {at + 1}: the hunk of line {start + 1} is not as long as its header says")
        size.lines += sign in (b"+", b"-")
        old -= sign in (b"-", b" ", b"")
        new -= sign in (b"+", b" ", b"")
    if old or new:
        raise CannotSay(f"line {at + 1}: the hunk of line {start + 1} does not have the lines its header says")
    return at


if __name__ == "__main__":
    sys.exit(main())
