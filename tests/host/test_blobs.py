"""Blobs on disk: whole, verified, for the owner only."""

from __future__ import annotations

import hashlib
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.errors import LogDamaged
from agentloop.host.blobs import FileBlobs


@given(data=st.lists(st.binary(max_size=3000), max_size=8))
def test_what_was_put_is_got_back_by_its_sha256(tmp_path_factory: pytest.TempPathFactory, data: list[bytes]) -> None:
    """A name is the sha256 of the bytes, also for another process that opens the folder later."""
    folder = tmp_path_factory.mktemp("blobs") / "blobs"
    names = [FileBlobs(folder).put(each) for each in data]
    assert names == [hashlib.sha256(each).hexdigest() for each in data]
    assert [FileBlobs(folder).get(name) for name in names] == data


def test_the_empty_blob_is_a_blob(tmp_path: Path) -> None:
    """No bytes are a content like any other."""
    blobs = FileBlobs(tmp_path / "blobs")
    assert blobs.get(blobs.put(b"")) == b""


def test_blobs_lie_in_folders_of_two_digits_and_only_the_owner_may_read_them(tmp_path: Path) -> None:
    """The layout is part of the run folder's format; nothing else is left there."""
    name = FileBlobs(tmp_path / "blobs").put(b"abc")
    files = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    assert files == [tmp_path / "blobs" / name[:2] / name]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (files[0].parent, tmp_path / "blobs")} == {0o700}


def test_a_blob_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    """The second put, by the same object or another, leaves the file alone."""
    first = FileBlobs(tmp_path / "blobs")
    path = tmp_path / "blobs" / first.put(b"abc")[:2] / first.put(b"abc")
    before = path.stat()
    FileBlobs(tmp_path / "blobs").put(b"abc")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"ab", b"abd", b"abcd"])
def test_a_changed_blob_is_damage_and_named(tmp_path: Path, damage: bytes) -> None:
    """Bytes that do not hash to their name are never handed out."""
    blobs = FileBlobs(tmp_path / "blobs")
    name = blobs.put(b"abc")
    (tmp_path / "blobs" / name[:2] / name).write_bytes(damage)
    with pytest.raises(LogDamaged, match=f"{name}.*do not hash to its name"):
        blobs.get(name)


@pytest.mark.parametrize("name", ["a" * 64, "", "../../etc/passwd", "A" * 64, "a" * 64 + "\n"])
def test_a_name_that_stands_for_nothing_is_damage(tmp_path: Path, name: str) -> None:
    """A missing blob, and a name that is no digest, end in the same error: the log refers to what is not there."""
    with pytest.raises(LogDamaged):
        FileBlobs(tmp_path / "blobs").get(name)


def test_a_blob_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A file where the folder should be stands for a disk that takes nothing."""
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(LogDamaged, match="can't be written"):
        FileBlobs(tmp_path / "blobs").put(b"abc")


def test_threads_may_put_the_same_and_different_blobs_at_once(tmp_path: Path) -> None:
    """Whoever comes first, all names hold their bytes and no half-written file stays."""
    blobs = FileBlobs(tmp_path / "blobs")
    contents = [b"%d" % (i % 10) * 500 for i in range(40)]
    names: dict[int, str] = {}
    threads = [threading.Thread(target=lambda i=i: names.update({i: blobs.put(contents[i])})) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [blobs.get(names[i]) for i in range(40)] == contents
    assert len([path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]) == 10
