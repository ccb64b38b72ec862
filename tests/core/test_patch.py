"""A patch leads from base to the new tree through `git apply`, byte for byte."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.core.patch import patch
from agentloop.core.tree import EXECUTABLE, FILE, LINK, Entry, Tree
from tests.fakes import FakeBlobs
from tests.repos import ENV

NAMES = ["a.txt", "with space.txt", "ümläut.txt", 'quo"te', "tab\tname", "back\\slash", "d/e/f.txt", "new\nline", "x"]
LINES = st.lists(st.sampled_from([b"one", b"two\r", b"", b" x", b"\xff\xfe", b"-- a", b"+b", b"@@"]), max_size=12)
TEXT = st.builds(lambda lines, end: b"\n".join(lines) + end, LINES, st.sampled_from([b"\n", b"", b"\r\n"]))
BINARY = st.binary(max_size=200).map(lambda data: b"\0" + data)
FILES = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.sampled_from([FILE, EXECUTABLE]), st.one_of(TEXT, BINARY)), max_size=5
)


def tree(blobs: FakeBlobs, files: dict[str, tuple[int, bytes]]) -> Tree:
    return Tree({path: Entry(mode, blobs.put(data), len(data)) for path, (mode, data) in files.items()})


def lay(folder: Path, files: dict[str, tuple[int, bytes]]) -> None:
    for name, (mode, data) in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == LINK:
            path.symlink_to(data.decode())
        else:
            path.write_bytes(data)
            path.chmod(0o755 if mode == EXECUTABLE else 0o644)


def found(folder: Path) -> dict[str, tuple[int, bytes]]:
    result = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            result[name] = (LINK, str(path.readlink()).encode())
        elif path.is_file() and not name.startswith(".git/"):
            mode = EXECUTABLE if path.stat().st_mode & 0o100 else FILE
            result[name] = (mode, path.read_bytes())
    return result


def check(before: dict[str, tuple[int, bytes]], after: dict[str, tuple[int, bytes]]) -> None:
    blobs = FakeBlobs()
    base, new = tree(blobs, before), tree(blobs, after)
    made = patch(base, new, lambda of, path: blobs.get(of[path].blob))
    assert bool(made) == (before != after)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay(folder, before)
        if made:
            subprocess.run(["git", "init", "-q"], cwd=folder, env=ENV, check=True)
            for option in ("--check", "--whitespace=nowarn"):
                done = subprocess.run(["git", "apply", option], cwd=folder, env=ENV, input=made, capture_output=True)
                assert done.returncode == 0, done.stderr + made
        assert found(folder) == after


@settings(max_examples=120, deadline=None)
@given(FILES, FILES)
def test_git_apply_gives_exactly_the_new_tree(
    before: dict[str, tuple[int, bytes]], after: dict[str, tuple[int, bytes]]
) -> None:
    """Text, binary, CRLF, no final newline, modes and odd names: base plus patch is the new tree."""
    check(before, after)


def test_links_and_kinds_that_change() -> None:
    """Links are made, retargeted, taken away, and a file may become a link."""
    check({"a": (LINK, b"x"), "b": (FILE, b"text\n"), "c": (LINK, b"y")}, {"a": (LINK, b"z"), "b": (LINK, b"a")})


def test_large_files_are_fast_and_still_right() -> None:
    """A rewritten file of many lines is one block; a small edit in one stays small."""
    old = [b"line %d\n" % n for n in range(20_000)]
    check({"a": (FILE, b"".join(old))}, {"a": (FILE, b"".join(reversed(old)))})
    new = [*old[:9_999], b"changed\n", *old[10_000:]]
    blobs = FakeBlobs()
    base, after = (tree(blobs, {"a": (FILE, b"".join(lines))}) for lines in (old, new))
    made = patch(base, after, lambda of, path: blobs.get(of[path].blob))
    assert made.count(b"\n") < 15
    assert b"@@ -9997,7 +9997,7 @@" in made
