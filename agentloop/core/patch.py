"""A change as a patch in git's format, which `git apply` takes on base byte for byte.

The format is described in git's documentation of ``git diff`` ("Generating patch text with -p") and, for binary
files, by what ``git apply`` reads: a ``literal`` block of base85 lines over zlib data.
"""

from __future__ import annotations

import difflib
import hashlib
import zlib
from base64 import b85encode
from collections.abc import Callable, Iterator

from agentloop.core.tree import Entry, Tree, difference

CONTEXT = 3
DIFFABLE = 4_000
"""Lines up to which the differing middle of a file is compared line by line; beyond it is replaced as one block."""

Read = Callable[[Tree, str], bytes]


def patch(base: Tree, tree: Tree, read: Read) -> bytes:
    """What leads from `base` to `tree`; `read` gives a file's bytes. Empty where nothing changed."""
    parts = []
    for path, (old, new) in difference(base, tree).items():
        before = read(base, path) if old else b""
        after = read(tree, path) if new else b""
        if old and new and (old.mode & 0o170000) != (new.mode & 0o170000):
            # A file that became a link, or the other way round: git wants it taken away and made anew.
            parts += [_file(path, old, None, before, b""), _file(path, None, new, b"", after)]
        else:
            parts.append(_file(path, old, new, before, after))
    return b"".join(parts)


def _file(path: str, old: Entry | None, new: Entry | None, before: bytes, after: bytes) -> bytes:
    name = path.encode("utf-8", "surrogateescape")
    head = [b"diff --git %s %s\n" % (_quoted(b"a/" + name), _quoted(b"b/" + name))]
    if old is None and new is not None:
        head.append(b"new file mode %06o\n" % new.mode)
    elif new is None and old is not None:
        head.append(b"deleted file mode %06o\n" % old.mode)
    elif old and new and old.mode != new.mode:
        head.append(b"old mode %06o\nnew mode %06o\n" % (old.mode, new.mode))
    if before == after and old and new:
        return b"".join(head)
    same_mode = old and new and old.mode == new.mode
    names = (_blob(before) if old else b"0" * 40, _blob(after) if new else b"0" * 40)
    mode = b" %06o" % new.mode if same_mode and new else b""
    head.append(b"index %s..%s%s\n" % (*names, mode))
    if b"\0" in before or b"\0" in after:
        return b"".join([*head, b"GIT binary patch\n", _literal(after), _literal(before)])
    if before == after:
        return b"".join(head)
    sides = (
        b"--- " + (_side(b"a/" + name) if old else b"/dev/null") + b"\n",
        b"+++ " + (_side(b"b/" + name) if new else b"/dev/null") + b"\n",
    )
    return b"".join([*head, *sides, *_hunks(_lines(before), _lines(after))])


def _blob(data: bytes) -> bytes:
    """git's name of a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()


def _quoted(name: bytes) -> bytes:
    """`name` as git writes it: in C quotes where it holds quotes, control or non-ASCII bytes."""
    escapes = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
    if all(32 <= byte < 127 and byte not in (34, 92) for byte in name):
        return name
    body = b"".join(
        b"\\" + escapes[b] if b in escapes else b"\\%03o" % b if not 32 <= b < 127 else bytes((b,)) for b in name
    )
    return b'"' + body + b'"'


def _side(name: bytes) -> bytes:
    """A file name behind ``---`` or ``+++``: one with a space ends with a tab, so that it is not cut there."""
    quoted = _quoted(name)
    return quoted + b"\t" if quoted == name and b" " in name else quoted


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends; only LF ends a line, so CR stays a part of it."""
    lines = data.split(b"\n")
    tail = lines.pop()
    return [line + b"\n" for line in lines] + ([tail] if tail else [])


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    for group in _groups(old, new):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(b" ", line) for line in old[i1:i2])
                continue
            yield from (_line(b"-", line) for line in old[i1:i2])
            yield from (_line(b"+", line) for line in new[j1:j2])


def _range(start: int, stop: int) -> bytes:
    count = stop - start
    return b"%d,%d" % (start + 1 if count else start, count)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


Opcode = tuple[str, int, int, int, int]


def _groups(old: list[bytes], new: list[bytes]) -> Iterator[list[Opcode]]:
    """Opcodes in groups with CONTEXT lines around, the common ends left out before anything slow is done."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    stop = 0
    while stop < min(len(old), len(new)) - start and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    i2, j2 = len(old) - stop, len(new) - stop
    if max(i2, j2) - start > DIFFABLE:
        lead, trail = min(CONTEXT, start), min(CONTEXT, stop)
        block: list[Opcode] = [("equal", start - lead, start, start - lead, start)] if lead else []
        block.append(("replace", start, i2, start, j2))
        yield block + ([("equal", i2, i2 + trail, j2, j2 + trail)] if trail else [])
        return
    lead = max(0, start - CONTEXT)
    last = min(stop, CONTEXT)
    matcher = difflib.SequenceMatcher(None, old[lead : i2 + last], new[lead : j2 + last], autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        yield [(tag, a + lead, b + lead, c + lead, d + lead) for tag, a, b, c, d in group]


def _literal(data: bytes) -> bytes:
    """One ``literal`` block: lines of a length letter and the base85 of up to 52 bytes of zlib data."""
    packed = zlib.compress(data)
    lines = [b"literal %d\n" % len(data)]
    for start in range(0, len(packed), 52):
        piece = packed[start : start + 52]
        size = len(piece)
        letter = bytes((ord("A") + size - 1,)) if size <= 26 else bytes((ord("a") + size - 27,))
        lines.append(letter + b85encode(piece, pad=True) + b"\n")
    return b"".join([*lines, b"\n"])
