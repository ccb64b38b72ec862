"""The log's frame: what was written is read back, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.frame import GENESIS, MAX_RECORD, Ending, Record, encode, scan

bodies = st.lists(
    st.binary(min_size=1, max_size=200).map(lambda body: body.replace(b"\n", b"/")), min_size=1, max_size=12
)


def framed(*bodies: bytes) -> bytes:
    """A log that holds `bodies`."""
    lines, previous = [], GENESIS
    for seq, body in enumerate(bodies, 1):
        line, previous = encode(seq, previous, body)
        lines.append(line)
    return b"".join(lines)


def scanned(data: bytes) -> tuple[list[Record], Ending]:
    """Records and ending of `data`."""
    *records, ending = scan(data)
    assert isinstance(ending, Ending)
    assert all(isinstance(record, Record) for record in records)
    return records, ending


SMALL = framed(b'{"a":1}', b'{"b":[2,3]}', b'{"c":"x y"}', b'{"d":null}')


@given(bodies)
def test_what_was_encoded_is_scanned_back_with_its_place(given_bodies: list[bytes]) -> None:
    """Bodies come back in order; offsets and ends tile the file without a gap."""
    data = framed(*given_bodies)
    records, ending = scanned(data)
    assert [record.body for record in records] == given_bodies
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert [0, *(record.end for record in records)] == [*(record.offset for record in records), len(data)]
    assert ending == Ending("whole", len(data))


def test_an_empty_file_is_a_whole_log_without_records() -> None:
    """Nothing is there, and nothing is wrong."""
    assert scanned(b"") == ([], Ending("whole", 0))


def test_a_cut_at_any_byte_keeps_the_whole_records_and_calls_the_rest_torn() -> None:
    """A crash in the middle of a write is never mistaken for damage, nor half a record for a whole one."""
    whole, _ = scanned(SMALL)
    for cut in range(len(SMALL) + 1):
        kept = [record for record in whole if record.end <= cut]
        end = kept[-1].end if kept else 0
        expected = Ending("whole", end) if end == cut else Ending("torn", end, torn=SMALL[end:cut])
        assert scanned(SMALL[:cut]) == (kept, expected)
        padded = Ending("padded", end) if end == cut else expected
        assert scanned(SMALL[:cut] + bytes(600)) == (kept, padded)


def test_any_flipped_bit_is_damage_at_the_record_it_hit() -> None:
    """Every single bit is covered, the last newline included; the records before stay readable."""
    whole, _ = scanned(SMALL)
    for position in range(len(SMALL)):
        hit = next(record for record in whole if position < record.end)
        for bit in range(8):
            data = bytearray(SMALL)
            data[position] ^= 1 << bit
            records, ending = scanned(bytes(data))
            assert (ending.kind, ending.end) == ("damaged", hit.offset), (position, bit)
            assert records == whole[: hit.seq - 1]
            assert ending.what


@pytest.mark.parametrize(
    ("order", "offset_of"),
    [((0, 2, 3), 2), ((1, 2, 3), 1), ((0, 2, 1, 3), 2), ((0, 1, 1, 2, 3), 3), ((0, 0), 2), ((3,), 1)],
)
def test_a_dropped_swapped_or_doubled_record_is_damage_at_its_place(order: tuple[int, ...], offset_of: int) -> None:
    """Lines that are good by themselves do not verify anywhere but where they were written."""
    lines = SMALL.splitlines(keepends=True)
    ending = scanned(b"".join(lines[i] for i in order))[1]
    offset = sum(len(lines[i]) for i in order[: offset_of - 1])
    assert (ending.kind, ending.end) == ("damaged", offset)
    assert f"record {offset_of} should start here; found record" in ending.what


def test_a_record_of_another_log_does_not_fit_even_at_the_same_number() -> None:
    """The hash covers the record before, so a line can't be taken over from a log with another history."""
    other = framed(b'{"a":2}', b'{"b":[2,3]}').splitlines(keepends=True)
    ending = scanned(SMALL.splitlines(keepends=True)[0] + other[1])[1]
    assert ending.kind == "damaged"
    assert "hash of record 2" in ending.what


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (b"garbage\n", "should start here"),
        (b"\n", "should start here"),
        (b"AL2 5 3 " + b"0" * 32 + b" abc\n", "format AL2"),
        (b"AL1 5 3 " + b"0" * 32 + b" abc\n", "hash of record 5"),
        (b"AL1 5 9 " + b"0" * 32 + b" abc\n", "length of 9 bytes"),
        (b"AL1 5 3 " + b"0" * 32 + b" abcd", "length of 3 bytes"),
        (b"AL1 05 3 " + b"0" * 32 + b" abc\n", "should start here"),
        (b"\0\0\0\n", "should start here"),
        (b"x" * MAX_RECORD, "should start here"),
    ],
)
def test_a_bad_last_line_that_is_complete_is_damage(last: bytes, says: str) -> None:
    """Only a line that was never finished counts as torn; anything else could be a record that was once whole."""
    records, ending = scanned(SMALL + last)
    assert (len(records), ending.kind, ending.end) == (4, "damaged", len(SMALL))
    assert says in ending.what


def test_a_record_may_have_4096_bytes_with_its_frame_and_not_one_more() -> None:
    """The limit counts the whole line."""
    frame = len(encode(1, GENESIS, b"x" * 4000)[0]) - 4000
    fits = b"x" * (MAX_RECORD - frame)
    line, _ = encode(1, GENESIS, fits)
    assert len(line) == MAX_RECORD
    assert scanned(line)[0][0].body == fits
    with pytest.raises(ValueError, match="a record of 4097 bytes; at most 4096"):
        encode(1, GENESIS, fits + b"x")


@pytest.mark.parametrize("body", [b"", b"a\nb", b"a\n"])
def test_a_body_that_is_no_single_line_is_not_encoded(body: bytes) -> None:
    """It could not be read back."""
    with pytest.raises(ValueError, match="one line"):
        encode(1, GENESIS, body)
