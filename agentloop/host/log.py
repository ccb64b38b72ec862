"""The log of one run: a file of framed records that only ever grows, and the blobs beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from agentloop.core.events import Event, Stamped
from agentloop.core.frame import GENESIS, encode
from agentloop.errors import LogDamaged, Refused
from agentloop.host.appending import Appender, Files
from agentloop.host.blobs import FileBlobs, sync_folder
from agentloop.host.lock import RunLock
from agentloop.host.reading import records, recover, survey

NAME = "log.al"
"""The log's file in a run folder; the folder ``blobs`` stands beside it."""


class FileLog:
    """The Log port on disk. Make one with `create`, `open` or `read_only`, and `close` it (or use `with`).

    `recovered` is a notice for people where opening had to cut an unfinished last record off, else empty.
    Several threads may append; each record is synced before `append` returns.
    """

    def __init__(self, folder: Path, places: list[tuple[int, str]]) -> None:
        self.folder = folder
        self.path = folder / NAME
        self.recovered = ""
        self._places = places
        self._blobs = FileBlobs(folder / "blobs")
        self._clock: Callable[[], int] = int
        self._lock: RunLock | None = None
        self._file: Appender | None = None
        self._mutex = threading.Lock()

    @classmethod
    def create(cls, folder: Path, clock: Callable[[], int], files: Files | None = None) -> FileLog:
        """A new, empty log in `folder`, which is made if need be. `clock` gives milliseconds since 1970.

        Raises Refused where `folder` holds a log already, Locked, and LogDamaged where it can't be written.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LogDamaged(str(folder), 0, f"the run folder can't be made: {error.strerror}") from error
        lock = RunLock(folder)
        return cls(folder, [])._writing(clock, lock, files, create=True)

    @classmethod
    def open(cls, folder: Path, clock: Callable[[], int], files: Files | None = None) -> FileLog:
        """The log in `folder`, to be continued. Raises Locked where another process holds it, LogDamaged where it
        does not verify; an unfinished last record alone is saved beside it and cut off (see `recovered`)."""
        if not (folder / NAME).exists():
            raise LogDamaged(str(folder / NAME), 0, "there is no log here")
        lock = RunLock(folder)
        try:
            outline = survey(folder / NAME)
            log = cls(folder, outline.places)
            log.recovered = recover(log.path, outline.ending)
        except BaseException as error:
            lock.close()
            if isinstance(error, OSError):
                raise LogDamaged(str(folder / NAME), 0, f"the log can't be recovered: {error.strerror}") from error
            raise
        return log._writing(clock, lock, files)

    @classmethod
    def read_only(cls, folder: Path) -> FileLog:
        """The log in `folder` as it is now, whoever holds it; nothing is locked or changed. Raises LogDamaged."""
        return cls(folder, survey(folder / NAME).places)

    def _writing(self, clock: Callable[[], int], lock: RunLock, files: Files | None, create: bool = False) -> FileLog:
        try:
            self._file = Appender(self.path, self._places, files or Files(), create)
            sync_folder(self.folder)
        except OSError as error:
            lock.close()
            if isinstance(error, FileExistsError):
                raise Refused(f"{self.path} exists already", "every run needs a folder of its own") from error
            raise LogDamaged(str(self.path), 0, f"the log can't be opened: {error.strerror}") from error
        self._clock, self._lock = clock, lock
        return self

    def append(self, event: Event) -> Stamped:
        """Write one record, whole and synced. Raises LogDamaged where that fails, and from then on always;
        ValueError, with nothing written, for an event that is too large or could not be read again."""
        if self._file is None:
            raise LogDamaged(str(self.path), self._end, "the log was opened for reading only")
        with self._mutex:
            stamped = Stamped(seq=len(self._places) + 1, at=self._clock(), event=event)
            self._file.append(*_line(stamped, self._hash))
            return stamped

    @property
    def _end(self) -> int:
        return self._places[-1][0] if self._places else 0

    @property
    def _hash(self) -> str:
        return self._places[-1][1] if self._places else GENESIS

    def __iter__(self) -> Iterator[Stamped]:
        return records(self.path, len(self._places))

    def __len__(self) -> int:
        return len(self._places)

    @property
    def head(self) -> str:
        """``seq:hash`` of the last record; of an empty log ``0:`` and 32 zeros."""
        return f"{len(self._places)}:{self._hash}"

    def verify_head(self, head: str) -> None:
        """Raises LogDamaged where the log does not hold the record that was its `head` when that was noted."""
        seq, _, name = head.partition(":")
        number = int(seq) if seq.isdecimal() else -1
        if number > len(self._places):
            what = f"the log ends with record {len(self._places)}, but {number} were written: some are lost"
            raise LogDamaged(str(self.path), self._end, what)
        ends = [(0, GENESIS), *self._places]
        if number < 0 or ends[number][1] != name:
            what = f"the log does not hold the record that was noted as its head, {head!r}"
            raise LogDamaged(str(self.path), ends[max(number - 1, 0)][0], what)

    def put(self, data: bytes) -> str:
        """Keep `data`, return its name. On disk and synced when this returns. Raises LogDamaged."""
        return self._blobs.put(data)

    def get(self, digest: str) -> bytes:
        """The bytes of that name. Raises LogDamaged where they are missing or do not hash to it."""
        return self._blobs.get(digest)

    def close(self) -> None:
        """Let go of the file and the lock; what was read stays readable. A second call does nothing."""
        if self._file:
            self._file.close()
        if self._lock:
            self._lock.close()

    def __enter__(self) -> FileLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _line(stamped: Stamped, previous: str) -> tuple[bytes, str]:
    """The framed record and its hash. What could not be read back is never written: it would end the log."""
    try:
        body = stamped.model_dump_json().encode()
        Stamped.model_validate_json(body)
        return encode(stamped.seq, previous, body)
    except (PydanticSerializationError, ValidationError, ValueError) as error:
        raise ValueError(f"the event {stamped.event.kind!r} can't be recorded: {error}") from error
