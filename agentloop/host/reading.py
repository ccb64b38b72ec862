"""From the bytes of a log to its events, and what to do about a last line that was never finished."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from agentloop.core.events import VERSION, Began, Event, Resumed, Stamped
from agentloop.core.frame import Ending, Record, scan
from agentloop.errors import LogDamaged
from agentloop.host.blobs import sync_folder, write_aside
from agentloop.version import __version__

KINDS = tuple(event.model_fields["kind"].default for event in get_args(Event))
"""All kinds of event that this agentloop knows."""


@dataclass(frozen=True)
class Outline:
    """A log that verified: where each of its records ends and that record's hash, and what follows the last."""

    places: list[tuple[int, str]]
    ending: Ending


def survey(path: Path) -> Outline:
    """Read all of the log at `path`; keep no event, change nothing. Raises LogDamaged where it does not verify or
    holds what this agentloop does not understand."""
    places: list[tuple[int, str]] = []
    writer = ""
    for item in scan(_bytes(path)):
        if isinstance(item, Ending):
            if item.kind == "damaged":
                raise LogDamaged(str(path), item.end, item.what)
            return Outline(places, item)
        event = _decode(path, item, writer).event
        if isinstance(event, Began | Resumed):
            writer = event.agentloop
        places.append((item.end, item.hash))
    raise AssertionError("a scan ends with an Ending")


def records(path: Path, count: int) -> Iterator[Stamped]:
    """The first `count` records of the log at `path`, verified once more. Raises LogDamaged."""
    for item in islice(scan(_bytes(path)), count):
        if isinstance(item, Ending):
            raise LogDamaged(str(path), item.end, item.what or "the log has become shorter since it was opened")
        yield _decode(path, item, "")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogDamaged(str(path), 0, f"the log can't be read: {error.strerror}") from error


def _decode(path: Path, record: Record, writer: str) -> Stamped:
    try:
        found = Stamped.model_validate_json(record.body)
    except ValidationError as error:
        raise LogDamaged(str(path), record.offset, _unreadable(record, writer, error)) from error
    if isinstance(found.event, Began) and found.event.version > VERSION:
        raise LogDamaged(str(path), record.offset, _newer(found.event.version, found.event.agentloop))
    if found.seq != record.seq:
        raise LogDamaged(str(path), record.offset, f"record {record.seq} calls itself record {found.seq}")
    return found


def recover(path: Path, ending: Ending) -> str:
    """Make the log at `path` end with its last good record; a torn line is saved beside it first.

    Returns a notice for people; empty where there is nothing to tell. Raises OSError.
    """
    notice = ""
    if ending.kind == "torn":
        aside = _save(path, ending)
        notice = (
            f"{path}: the last record was never finished: {len(ending.torn)} bytes at byte {ending.end} "
            f"were cut off and kept in {aside.name}"
        )
    if ending.kind in ("torn", "padded"):
        os.truncate(path, ending.end)
    return notice


def _save(path: Path, ending: Ending) -> Path:
    """Write the torn line beside the log, under a name that holds nothing else."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.{ending.end}.{'' if number == 1 else f'{number}.'}torn")
        if not aside.exists():
            write_aside(aside, ending.torn)
            sync_folder(path.parent)
            return aside
        if aside.read_bytes() == ending.torn:
            return aside
        number += 1


def _newer(version: object, writer: str) -> str:
    return f"the log is of version {version}, {_by(writer)}; this is agentloop {__version__}, which reads {VERSION}"


def _unreadable(record: Record, writer: str, error: ValidationError) -> str:
    """Why a record with a good hash can't be read: most likely a newer agentloop wrote it."""
    try:
        event = json.loads(record.body)["event"]
        kind = event["kind"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"record {record.seq} holds no event"
    if kind in ("began", "resumed") and isinstance(event.get("agentloop"), str):
        writer = event["agentloop"]
    if kind == "began" and isinstance(event.get("version"), int) and event["version"] > VERSION:
        return _newer(event["version"], writer)
    if kind not in KINDS:
        return f"record {record.seq} is of the unknown kind {kind!r}, {_by(writer)}; this is agentloop {__version__}"
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][2:])
    return f"record {record.seq} is not a valid {kind!r} event, {_by(writer)}: {place}: {first['msg']}"


def _by(writer: str) -> str:
    return f"written by agentloop {writer}" if writer else "written by an unknown agentloop"
