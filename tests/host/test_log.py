"""The log on disk: what was acknowledged is there, whatever happens; what is damaged is said, never mended."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agentloop.core import events as e
from agentloop.core.frame import GENESIS, encode, scan
from agentloop.core.records import Limits, Outcome
from agentloop.errors import Locked, LogDamaged, Refused
from agentloop.host.appending import Files
from agentloop.host.log import FileLog

NOW = 1_796_086_923_456
BEGAN = e.Began(
    agentloop="0.1.0", run="r", goal="Fix it.", goal_digest="d", goal_blob="a" * 64, base_commit="c" * 40,
    base_tree="b" * 64, limits=Limits(ticks=3), stall=3, planner="none", executor="none", level="landlock",
)  # fmt: skip
CHECKED = e.Checked(tree="b" * 64, outcomes=(Outcome(key="k", status="failed", failing="f", count=2),))
FEW = (BEGAN, CHECKED, e.Approved(name="é\n\u2028\0"), e.Skipped(task="t", signature="s", reason="stale"))
QUICK = Files(fdatasync=lambda fd: None)


def written(folder: Path, events: tuple[e.Event, ...] = FEW) -> Path:
    """A log of `events` in `folder`; the file's path."""
    with FileLog.create(folder, lambda: NOW, QUICK) as log:
        for event in events:
            log.append(event)
    return log.path


def opened(folder: Path, files: Files = QUICK) -> FileLog:
    """The log in `folder`, open for writing."""
    return FileLog.open(folder, lambda: NOW, files)


def test_what_was_appended_is_there_after_opening_again(tmp_path: Path) -> None:
    """Events, their order, numbers and times survive; the head stays; more can follow."""
    ticks = iter(range(100, 200))
    with FileLog.create(tmp_path / "run", lambda: next(ticks)) as log:
        stamped = [log.append(event) for event in FEW]
        head = log.head
    assert [(s.seq, s.at, s.event) for s in stamped] == [(i + 1, 100 + i, event) for i, event in enumerate(FEW)]
    with FileLog.open(tmp_path / "run", lambda: 300) as log:
        assert list(log) == stamped
        assert (len(log), log.head, log.recovered) == (4, head, "")
        last = log.append(e.Ended(end="satisfied", reason="", tree=""))
        assert (last.seq, last.at) == (5, 300)
    assert list(FileLog.read_only(tmp_path / "run")) == [*stamped, last]


def test_the_files_of_a_run_are_for_their_owner_only(tmp_path: Path) -> None:
    """A log holds whatever models and tools said."""
    path = written(tmp_path / "run")
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in (path, tmp_path / "run" / "lock")} == {0o600}


@pytest.mark.slow
def test_a_cut_at_every_byte_keeps_whole_records_and_saves_the_rest(tmp_path: Path) -> None:
    """The remainder lies beside the log, the notice names it, and the run goes on where it was whole."""
    data = written(tmp_path / "whole").read_bytes()
    ends = [0, *(item.end for item in list(scan(data))[:-1])]
    for cut in range(len(data)):
        (folder := tmp_path / str(cut)).mkdir()
        (folder / "log.al").write_bytes(data[:cut])
        end = max(each for each in ends if each <= cut)
        with opened(folder) as log:
            assert [s.event for s in log] == list(FEW[: ends.index(end)])
            torn = list(folder.glob("*.torn"))
            assert [(path.name, path.read_bytes()) for path in torn] == (
                [(f"log.al.{end}.torn", data[end:cut])] if end != cut else []
            )
            assert all(path.name in log.recovered and f"byte {end}" in log.recovered for path in torn)
            assert bool(torn) == bool(log.recovered)
            log.append(CHECKED)
        assert [s.event for s in FileLog.read_only(folder)] == [*FEW[: ends.index(end)], CHECKED]
        shutil.rmtree(folder)


@pytest.mark.slow
def test_any_flipped_bit_is_refused_and_nothing_is_mended(tmp_path: Path) -> None:
    """No bit of the log is silent: opening names the record's offset and leaves the file as it is."""
    path = written(tmp_path / "run", FEW[1:])
    data = path.read_bytes()
    offsets = [item.end if hasattr(item, "kind") else item.offset for item in scan(data)]
    for position in range(len(data)):
        hit = max(offset for offset in offsets if offset <= position)
        for bit in range(8):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            path.write_bytes(flipped)
            with pytest.raises(LogDamaged) as caught:
                opened(path.parent)
            assert caught.value.offset == hit
            assert path.read_bytes() == flipped
    assert sorted(p.name for p in path.parent.iterdir()) == ["lock", "log.al"]


@pytest.mark.parametrize("order", [(1, 2, 3), (0, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (0, 0, 1), (0, 1, 2, 3, 3)])
def test_dropped_swapped_and_doubled_records_are_refused(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Also by who only reads."""
    path = written(tmp_path / "run")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[i] for i in order))
    with pytest.raises(LogDamaged, match="should start here; found record"):
        opened(path.parent)
    with pytest.raises(LogDamaged, match="should start here; found record"):
        FileLog.read_only(path.parent)


def test_reserved_space_after_the_last_record_is_cut_off(tmp_path: Path) -> None:
    """NULs that were never written over are no damage, and nothing worth a notice."""
    path = written(tmp_path / "run")
    data = path.read_bytes()
    path.write_bytes(data + bytes(5000))
    with opened(path.parent) as log:
        assert (len(log), log.recovered) == (4, "")
    assert path.read_bytes() == data


def test_two_lines_torn_at_the_same_place_are_both_kept(tmp_path: Path) -> None:
    """What was saved once is not written over by the next accident."""
    path = written(tmp_path / "run")
    end = path.stat().st_size
    for torn in (b"AL1 5 first", b"AL1 5 other", b"AL1 5 first"):
        with path.open("ab") as file:
            file.write(torn)
        opened(path.parent).close()
    saved = {p.name: p.read_bytes() for p in path.parent.glob("*.torn")}
    assert saved == {f"log.al.{end}.torn": b"AL1 5 first", f"log.al.{end}.2.torn": b"AL1 5 other"}


def test_who_only_reads_changes_nothing_and_needs_no_lock(tmp_path: Path) -> None:
    """An unfinished last line may be one that is being written just now."""
    path = written(tmp_path / "run")
    with path.open("ab") as file:
        file.write(b"AL1 5 unfin")
    before = path.read_bytes()
    (path.parent / "lock").unlink()
    log = FileLog.read_only(path.parent)
    assert [s.event for s in log] == list(FEW)
    with pytest.raises(LogDamaged, match="reading only"):
        log.append(CHECKED)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["log.al"]


def raw(folder: Path, *bodies: bytes) -> Path:
    """A log with good frames around `bodies`."""
    folder.mkdir()
    previous, lines = GENESIS, []
    for seq, body in enumerate(bodies, 1):
        line, previous = encode(seq, previous, body)
        lines.append(line)
    (folder / "log.al").write_bytes(b"".join(lines))
    return folder


GOOD = b'{"seq":1,"at":5,"event":%s}' % BEGAN.model_dump_json().encode().replace(b'"0.1.0"', b'"7.8.9"')


@pytest.mark.parametrize(
    ("bodies", "says"),
    [
        ((GOOD, b'{"seq":2,"at":5,"event":{"kind":"dreamt"}}'), "unknown kind 'dreamt', written by agentloop 7.8.9"),
        ((b'{"seq":1,"at":5,"event":{"kind":"dreamt"}}',), "unknown kind 'dreamt', written by an unknown agentloop"),
        ((GOOD.replace(b'"version":1', b'"version":2'),), "version 2, written by agentloop 7.8.9"),
        ((GOOD.replace(b'"version":1', b'"version":2,"extra":1'),), "version 2, written by agentloop 7.8.9"),
        (
            (GOOD, b'{"seq":2,"at":5,"event":{"kind":"approved"}}'),
            "valid 'approved' event.*7.8.9.*name: Field required",
        ),
        ((GOOD, b'{"seq":2,"at":5,"event":{"kind":"approved","name":"x","more":1}}'), "more: Extra inputs"),
        ((GOOD, b"{}"), "record 2 holds no event"),
        ((GOOD, b"nonsense"), "record 2 holds no event"),
        ((GOOD, b"[" * 3000), "record 2 holds no event"),
        ((GOOD, b"\xff\xfe"), "record 2 holds no event"),
        ((GOOD, b'{"seq":2,"at":5,"event":{"kind":["x"]}}'), "record 2"),
        ((GOOD, b'{"seq":3,"at":5,"event":{"kind":"approved","name":"x"}}'), "record 2 calls itself record 3"),
    ],
)
def test_a_record_that_this_agentloop_does_not_understand_is_refused(
    tmp_path: Path, bodies: tuple[bytes, ...], says: str
) -> None:
    """With the offset, and with the agentloop that wrote it where the log says; a torn tail is then left alone."""
    folder = raw(tmp_path / "run", *bodies)
    with (folder / "log.al").open("ab") as file:
        file.write(b"AL1 ")
    before = (folder / "log.al").read_bytes()
    with pytest.raises(LogDamaged) as caught:
        opened(folder)
    assert re.search(says, caught.value.what)
    assert caught.value.offset == (before.index(b"AL1 2") if len(bodies) == 2 else 0)
    assert (folder / "log.al").read_bytes() == before


def raising(number: int) -> Callable[..., int]:
    """A call that fails as the system says it with errno `number`."""

    def call(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return call


def partial(fd: int, data: bytes) -> int:
    """A write that takes only part of its bytes."""
    return os.write(fd, data[: len(data) // 2])


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Files(write=partial), "bytes were taken"),
        (Files(write=raising(errno.ENOSPC)), "No space left"),
        (Files(write=raising(errno.EFBIG)), "File too large"),
        (Files(fdatasync=raising(errno.EIO)), "Input/output error"),
        (Files(write=partial, ftruncate=raising(errno.EIO)), "can't be cut off: Input/output error"),
    ],
)
def test_a_failed_write_or_sync_ends_the_log_for_good(tmp_path: Path, fault: Files, says: str) -> None:
    """The file is cut back, nothing is retried, and the next process finds every record that was acknowledged."""
    path = written(tmp_path / "run")
    size, calls = path.stat().st_size, []

    def counted(fd: int) -> None:
        calls.append(fd)
        fault.fdatasync(fd)

    log = opened(path.parent, Files(fault.write, counted, fault.ftruncate))
    head = log.head
    for _ in range(3):
        with pytest.raises(LogDamaged, match=says) as caught:
            log.append(CHECKED)
        assert (caught.value.path, caught.value.offset) == (str(path), size)
    assert (len(log), log.head, [s.event for s in log]) == (4, head, list(FEW))
    assert len(calls) <= 1
    if fault.ftruncate is os.ftruncate:
        assert path.stat().st_size == size
    log.close()
    with opened(path.parent) as again:
        assert [s.event for s in again] == list(FEW)
        assert again.append(CHECKED).seq == 5


def test_an_interrupt_in_the_middle_of_a_write_leaves_the_log_usable(tmp_path: Path) -> None:
    """Ctrl-C is no fault of the file: the half record is taken back, and the end of the run can be recorded."""
    hits = iter([KeyboardInterrupt, None])

    def interrupted(fd: int) -> None:
        if hit := next(hits):
            raise hit

    path = written(tmp_path / "run")
    with opened(path.parent, Files(fdatasync=interrupted)) as log:
        with pytest.raises(KeyboardInterrupt):
            log.append(CHECKED)
        assert log.append(e.Ended(end="interrupted", reason="", tree="")).seq == 5
    assert [s.event.kind for s in FileLog.read_only(path.parent)] == [*(x.kind for x in FEW), "ended"]


def test_each_record_is_one_write_that_is_synced_before_append_returns(tmp_path: Path) -> None:
    """The order matters: who is told that a record is there may act on it."""
    calls: list[str] = []

    def write(fd: int, data: bytes) -> int:
        calls.append(data.split(b" ")[1].decode())
        return os.write(fd, data)

    with FileLog.create(tmp_path / "run", lambda: NOW, Files(write, lambda fd: calls.append("sync"))) as log:
        for event in FEW:
            log.append(event)
            calls.append("told")
    assert calls == [word for i in range(1, 5) for word in (str(i), "sync", "told")]


def test_an_event_that_is_too_large_is_named_and_not_written(tmp_path: Path) -> None:
    """A mistake of the caller, who can go on: the log is not latched."""
    path = written(tmp_path / "run")
    before = path.read_bytes()
    with opened(path.parent) as log:
        with pytest.raises(ValueError, match=r"'approved' can't be recorded: a record of .* at most 4096"):
            log.append(e.Approved(name="x" * 4096))
        assert path.read_bytes() == before
        empty = e.Stamped(seq=5, at=NOW, event=e.Approved(name="")).model_dump_json().encode()
        frame = len(encode(5, GENESIS, b"x" * 4000)[0]) - 4000
        log.append(e.Approved(name="x" * (4096 - frame - len(empty))))
        assert len(path.read_bytes()) - len(before) == 4096


def test_an_event_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    """Values that went round their validation, and text that is no Unicode, would make the log unreadable."""
    with FileLog.create(tmp_path / "run", lambda: NOW) as log:
        for bad in (CHECKED.model_copy(update={"tree": "not a digest"}), e.Approved(name="\udc80")):
            with pytest.raises(ValueError, match="can't be recorded"):
                log.append(bad)
        assert log.append(CHECKED).seq == 1
    assert len(FileLog.read_only(tmp_path / "run")) == 1


def test_threads_may_append_at_once(tmp_path: Path) -> None:
    """Every record gets a number of its own, and the log verifies."""
    with FileLog.create(tmp_path / "run", lambda: NOW, QUICK) as log:
        threads = [
            threading.Thread(target=lambda i=i: [log.append(e.Approved(name=f"{i}.{j}")) for j in range(25)])
            for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        names = {s.event.name for s in log if isinstance(s.event, e.Approved)}
    assert names == {f"{i}.{j}" for i in range(8) for j in range(25)}


def test_a_head_tells_lost_and_replaced_records_from_a_log_that_grew(tmp_path: Path) -> None:
    """Whole records cut off the end leave a log that verifies; the head noted elsewhere knows better."""
    path = written(tmp_path / "run")
    lines = path.read_bytes().splitlines(keepends=True)
    heads = [f"0:{GENESIS}", *(f"{i.seq}:{i.hash}" for i in list(scan(path.read_bytes()))[:-1])]
    for left in range(5):
        path.write_bytes(b"".join(lines[:left]))
        with opened(path.parent) as log:
            assert log.head == heads[left]
            for head in heads[: left + 1]:
                log.verify_head(head)
            for head in heads[left + 1 :]:
                with pytest.raises(LogDamaged, match="some are lost"):
                    log.verify_head(head)
    other = written(tmp_path / "other", FEW[::-1])
    for head in (*heads[1:], "", "x", "-1:" + GENESIS, "1:", "0:0", f"2:{heads[1][2:]}"):
        with pytest.raises(LogDamaged, match="noted as its head"):
            FileLog.read_only(other.parent).verify_head(head)


HOLD = """
import sys, time
from pathlib import Path
from agentloop.host.log import FileLog
log = FileLog.open(Path(sys.argv[1]), lambda: 1)
print("held", flush=True)
sys.stdin.read()
"""


def held_by_another(folder: Path) -> subprocess.Popen[bytes]:
    """A second process that holds the run in `folder` until its input is closed."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_second_process_is_locked_out_and_told_by_whom_until_the_first_is_gone(tmp_path: Path) -> None:
    """Even a holder that was killed outright leaves nothing to clean up, and the lock file stays."""
    path = written(tmp_path / "run")
    for end in (signal.SIGKILL, signal.SIGTERM):
        holder = held_by_another(path.parent)
        try:
            with pytest.raises(Locked, match=f"held by process {holder.pid}") as caught:
                opened(path.parent)
            assert caught.value.pid == holder.pid
            assert len(FileLog.read_only(path.parent)) == 4
        finally:
            holder.send_signal(end)
            holder.communicate()
        opened(path.parent).close()
        assert (path.parent / "lock").exists()


def test_the_lock_is_taken_before_the_log_is_read(tmp_path: Path) -> None:
    """A damaged or unfinished log that another process holds is that process's business."""
    path = written(tmp_path / "run")
    with opened(path.parent):
        path.write_bytes(b"garbage\n")
        with pytest.raises(Locked, match=f"process {os.getpid()}"):
            opened(path.parent)


def test_a_log_that_was_refused_or_closed_does_not_stay_locked(tmp_path: Path) -> None:
    """The next try must be possible in the same process."""
    path = written(tmp_path / "run")
    good = path.read_bytes()
    path.write_bytes(b"garbage\n")
    for _ in range(2):
        with pytest.raises(LogDamaged):
            opened(path.parent)
    path.write_bytes(good)
    log = opened(path.parent)
    log.close()
    log.close()
    with pytest.raises(LogDamaged, match="closed"):
        log.append(CHECKED)
    opened(path.parent).close()


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_neither_a_started_program_nor_a_forked_child_keeps_the_run_locked(tmp_path: Path) -> None:
    """Both outlive the log here, and both could have inherited the lock."""
    path = written(tmp_path / "run")
    log = opened(path.parent)
    reader, writer = os.pipe()
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read(1)"]
    program = subprocess.Popen(waiting, stdin=reader, close_fds=False)
    ready, tell = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.close(writer)
            os.write(tell, b".")
            os.read(reader, 1)
        finally:
            os._exit(0)
    os.read(ready, 1)
    try:
        with pytest.raises(Locked):
            opened(path.parent)
        log.close()
        opened(path.parent).close()
    finally:
        os.close(writer)
        os.waitpid(child, 0)
        program.wait()
        for fd in (reader, ready, tell):
            os.close(fd)


def test_a_lock_without_a_readable_pid_is_still_a_lock(tmp_path: Path) -> None:
    """The holder may not have written its number yet."""
    path = written(tmp_path / "run")
    with (path.parent / "lock").open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        with pytest.raises(Locked, match="another process") as caught:
            opened(path.parent)
    assert caught.value.pid is None


def test_a_folder_with_a_log_is_not_begun_again(tmp_path: Path) -> None:
    """The log that is there stays as it is, and unlocked."""
    path = written(tmp_path / "run")
    before = path.read_bytes()
    with pytest.raises(Refused, match="exists already"):
        FileLog.create(path.parent, lambda: NOW)
    assert path.read_bytes() == before
    opened(path.parent).close()


def test_a_folder_without_a_log_cannot_be_opened(tmp_path: Path) -> None:
    """Nor is anything made there."""
    for how in (opened, FileLog.read_only):
        with pytest.raises(LogDamaged, match=r"log\.al"):
            how(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(LogDamaged, match="can't be made"):
        FileLog.create(tmp_path / "file" / "run", lambda: NOW)


def test_a_log_keeps_blobs_beside_its_records(tmp_path: Path) -> None:
    """They are there for the next process, and for who only reads."""
    with FileLog.create(tmp_path / "run", lambda: NOW) as log:
        name = log.put(b"whole request")
        assert log.get(name) == b"whole request"
    assert FileLog.read_only(tmp_path / "run").get(name) == b"whole request"
    with pytest.raises(LogDamaged):
        log.get("0" * 64)


class LogMachine(RuleBasedStateMachine):
    """A file log beside a list that does the same."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.folder = self.root / "run"
        self.now = 0
        self.model: list[tuple[int, int, e.Event]] = []
        self.broken = False
        self.fault: Callable[[int, bytes], int] = os.write
        self.log = FileLog.create(self.folder, self.clock, self.files())

    def clock(self) -> int:
        self.now += 1
        return self.now

    def files(self) -> Files:
        return Files(lambda fd, data: self.fault(fd, data), lambda fd: None)

    @rule(name=st.text(max_size=60), which=st.sampled_from(FEW))
    def append(self, name: str, which: e.Event) -> None:
        """A record goes into both, or, after a failure, into none."""
        event = e.Approved(name=name) if isinstance(which, e.Approved) else which
        if self.broken:
            with pytest.raises(LogDamaged):
                self.log.append(event)
        else:
            self.log.append(event)
            self.model.append((len(self.model) + 1, self.now, event))

    @rule()
    def fail(self) -> None:
        """A write takes half of its bytes."""
        self.fault = partial
        with pytest.raises(LogDamaged):
            self.log.append(CHECKED)
        self.fault, self.broken = os.write, True

    @rule(rest=st.binary(max_size=40).map(lambda rest: rest.replace(b"\n", b"")), nuls=st.integers(0, 50))
    def crash(self, rest: bytes, nuls: int) -> None:
        """The process ends in the middle of a write, and another one opens the log."""
        self.log.close()
        torn = rest.rstrip(b"\0")
        with self.log.path.open("ab") as file:
            file.write(rest + bytes(nuls))
        self.log = FileLog.open(self.folder, self.clock, self.files())
        assert bool(torn) == bool(self.log.recovered)
        self.broken = False

    @invariant()
    def agrees(self) -> None:
        """Both hold the same, also for who only reads."""
        assert [(s.seq, s.at, s.event) for s in self.log] == self.model
        assert list(FileLog.read_only(self.folder)) == list(self.log)
        assert self.log.head.startswith(f"{len(self.model)}:")

    def teardown(self) -> None:
        self.log.close()
        shutil.rmtree(self.root)


TestLogMachine = LogMachine.TestCase
TestLogMachine.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


@pytest.mark.slow
def test_a_log_of_100000_records_opens_in_seconds(tmp_path: Path) -> None:
    """A long run can be resumed; the bound is wide, the time is about two seconds."""
    outcome = Outcome(key="a" * 32, status="failed", failing="b" * 32, count=1, detail="c" * 64)
    body = e.Stamped(seq=1, at=NOW, event=e.Checked(tree="d" * 64, outcomes=(outcome,) * 2)).model_dump_json().encode()
    raw(tmp_path / "run", *(body.replace(b'"seq":1,', b'"seq":%d,' % seq, 1) for seq in range(1, 100_001)))
    began = time.monotonic()
    with opened(tmp_path / "run") as log:
        assert len(log) == 100_000
    assert time.monotonic() - began < 20
