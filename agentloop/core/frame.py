r"""The log's frame: how one record stands in a file, and what bytes that are not whole records mean.

A record is one line of at most MAX_RECORD bytes, its newline included::

    AL1 <seq> <len> <hash> <json>\n

``seq`` counts from 1, ``len`` is the number of bytes of the JSON (both decimal, without leading zeros),
``hash`` is the xxh3-128 (32 lower-case hex digits) of ``<seq> <hash of the record before> <json>``; the first
record follows GENESIS. So each byte of a record is covered, and so is its place among the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import xxhash

MAX_RECORD = 4096
"""Bytes of the longest record, with its frame and newline."""

GENESIS = "0" * 32
"""Stands for the hash of the record before the first."""

_HEADER = re.compile(rb"AL1 ([1-9][0-9]{0,15}) ([1-9][0-9]{0,3}) ([0-9a-f]{32}) ")
_OTHER = re.compile(rb"AL([0-9]{1,9}) ")


class Record(NamedTuple):
    """One good record: its first byte in the file and the one after its last, its number, hash and JSON."""

    offset: int
    end: int
    seq: int
    hash: str
    body: bytes


@dataclass(frozen=True)
class Ending:
    """What stands after the last good record, which ends at byte `end`.

    ``whole``: nothing. ``padded``: NULs only, space that was reserved and never used. ``torn``: a last line
    that was never finished, `torn` (without NULs at its end). ``damaged``: anything else; `what` says what is
    wrong with the record that should start at `end`.
    """

    kind: Literal["whole", "padded", "torn", "damaged"]
    end: int
    torn: bytes = b""
    what: str = ""


def encode(seq: int, previous: str, body: bytes) -> tuple[bytes, str]:
    """The line for `body` as record `seq` after a record of hash `previous`, and its own hash.

    Raises ValueError for a body that is empty, holds a newline or makes the record longer than MAX_RECORD.
    """
    name = _hash(seq, previous, body)
    line = b"AL1 %d %d %s %s\n" % (seq, len(body), name.encode(), body)
    if not body or b"\n" in body:
        raise ValueError("a record's body must be one line that is not empty")
    if len(line) > MAX_RECORD:
        raise ValueError(f"a record of {len(line)} bytes; at most {MAX_RECORD} are allowed")
    return line, name


def scan(data: bytes) -> Iterator[Record | Ending]:
    """All good records from the start of a log on, then, as the last item, what comes after them."""
    end, seq, previous = 0, 1, GENESIS
    while end < len(data):
        found = _HEADER.match(data, end)
        start = found.end() if found else end
        stop = start + int(found[2]) if found else end
        body = data[start:stop]
        if (
            found is None
            or int(found[1]) != seq
            or data[stop : stop + 1] != b"\n"
            or (name := found[3].decode()) != _hash(seq, previous, body)
        ):
            yield _ending(data, end, seq)
            return
        yield Record(end, stop + 1, seq, name, body)
        end, seq, previous = stop + 1, seq + 1, name
    yield Ending("whole", end)


def _hash(seq: int, previous: str, body: bytes) -> str:
    return str(xxhash.xxh3_128_hexdigest(b"%d %s %s" % (seq, previous.encode(), body)))


def _ending(data: bytes, end: int, seq: int) -> Ending:
    """Why no good record `seq` starts at `end`. Only what lost its end counts as torn: a record that has all
    its bytes was once whole, even where it is the newline that changed."""
    rest = data[end:].rstrip(b"\0")
    if not rest:
        return Ending("padded", end)
    found = _HEADER.match(rest)
    whole = found is not None and len(rest) > found.end() + int(found[2])
    if b"\n" in rest or whole or len(rest) >= MAX_RECORD:
        return Ending("damaged", end, what=_what(rest, found, seq))
    return Ending("torn", end, torn=rest)


def _what(rest: bytes, found: re.Match[bytes] | None, seq: int) -> str:
    if found is None:
        if (other := _OTHER.match(rest)) and other[1] != b"1":
            return f"record {seq} has the format AL{other[1].decode()}; this agentloop reads AL1"
        return f"record {seq} should start here, with 'AL1 {seq} <length> <hash>'; found {rest[:24]!r}"
    if int(found[1]) != seq:
        return f"record {seq} should start here; found record {int(found[1])}"
    stop = found.end() + int(found[2])
    if rest[stop : stop + 1] != b"\n":
        return f"record {seq} does not end where its length of {int(found[2])} bytes says"
    return f"the hash of record {seq} does not match its content and the record before it"
