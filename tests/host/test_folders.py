"""Trees to folders and back, and a worker's desk that no path leads out of."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.core.process import Command, Ran, SandboxLevel
from agentloop.core.tree import EXECUTABLE, FILE, HARD_LINKED, LINK, Entry, Tree
from agentloop.errors import Refused
from agentloop.host.bench import Benches, without_bytecode
from agentloop.host.desk import MAX_READ, open_desk
from agentloop.host.folder import import_folder
from agentloop.host.sandbox.plain import PlainSandbox
from agentloop.host.walk import capture, write_tree
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import DeskError
from tests.fakes import FakeBlobs, tree_of
from tests.world import PYTHON

NAMES = st.sampled_from(["a", "b.py", "d/c", "d/e/f", "with space", "\udcff\udcfe", "ü", "new\nline"])
ENTRIES = st.tuples(st.sampled_from([FILE, EXECUTABLE, LINK]), st.binary(min_size=1, max_size=40))


def made(blobs: FakeBlobs, files: dict[str, tuple[int, bytes]]) -> Tree:
    entries = {}
    for path, (mode, data) in files.items():
        body = data.replace(b"\0", b"x").replace(b"/", b"y") if mode == LINK else data
        entries[path] = Entry(mode, blobs.put(body), len(body))
    return Tree(entries)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES, ENTRIES))
def test_a_tree_that_was_written_is_captured_as_it_was(files: dict[str, tuple[int, bytes]]) -> None:
    """Bytes, modes, links and names of any bytes: folder and tree stand for each other."""
    blobs = FakeBlobs()
    tree = made(blobs, files)
    with tempfile.TemporaryDirectory() as folder:
        write_tree(tree, folder, blobs.get)
        assert capture(folder, blobs.put) == tree
    assert Tree.parse(tree.manifest) == tree


def test_what_is_no_plain_file_is_recorded_as_what_it_is(tmp_path: Path) -> None:
    """A fifo, a setuid bit and a second name are seen, so that the gate can refuse them by name."""
    (tmp_path / "plain").write_text("x")
    os.link(tmp_path / "plain", tmp_path / "twin")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "suid").write_text("x")
    (tmp_path / "suid").chmod(0o4755)
    tree = capture(str(tmp_path), FakeBlobs().put)
    assert tree["plain"].mode == tree["twin"].mode == HARD_LINKED
    assert oct(tree["fifo"].mode).startswith("0o10")
    assert tree["suid"].mode == 0o104755


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", "a/../../x"])
def test_a_path_that_leads_out_is_never_written(tmp_path: Path, path: str) -> None:
    """Trees come from data: one with such a path is refused."""
    blobs = FakeBlobs()
    inside = tmp_path / "in"
    inside.mkdir()
    with pytest.raises(Refused):
        write_tree(Tree({path: Entry(FILE, blobs.put(b""), 0)}), str(inside), blobs.get)
    assert list(tmp_path.iterdir()) == [inside]


def test_a_copied_folder_leaves_out_what_tools_made(tmp_path: Path) -> None:
    """Caches, virtual environments and another history are not part of base; everything else is."""
    for name in (
        "src/a.py",
        "__pycache__/a.pyc",
        ".git/HEAD",
        "venv/pyvenv.cfg",
        "venv/lib/x",
        "node_modules/x/i.js",
        ".env",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(import_folder(tmp_path, FakeBlobs().put)) == [".env", "src/a.py"]


def test_compiled_python_is_not_laid_out_for_checks() -> None:
    """A stale or planted .pyc beside the source is never what runs."""
    tree = tree_of(FakeBlobs(), {"a.py": b"", "__pycache__/a.cpython-311.pyc": b"", "b.pyo": b""})
    assert list(without_bytecode(tree)) == ["a.py"]


class Desk:
    """A desk on a small tree, with the means to look at it."""

    def __init__(self, tmp_path: Path) -> None:
        self.blobs = FakeBlobs()
        self.tree = tree_of(self.blobs, {"a.py": b"one\n", "d/b.py": b"two\n"})
        self.workspace = DiskWorkspace(self.blobs, self.tree, tmp_path / "work")
        self.benches = Benches(PlainSandbox(), self.workspace, PYTHON, "/nowhere", ())
        self.open = open_desk(self.workspace, self.benches, self.tree)


def test_a_worker_reads_writes_runs_and_is_captured(tmp_path: Path) -> None:
    """What it changed is the snapshot; what running things left behind, and its own git, are not."""
    desk = Desk(tmp_path)
    with desk.open as place:
        assert place.read("d/b.py") == b"two\n"
        place.write("n/new.py", b"print('hi')\n")
        ran = place.run(("python3", "-c", "import os; os.makedirs('__pycache__'); open('__pycache__/x.pyc', 'w')"), 20)
        assert ran.ok, ran
        assert place.run(("git", "diff", "--name-only"), 20).ok
        assert place.files() == ["a.py", "d/b.py", "n/new.py"]
        first = place.snapshot()
        assert list(first) == ["a.py", "d/b.py", "n/new.py"]
        place.write("a.py", b"changed")
        place.restore(first.digest)
        assert place.read("a.py") == b"one\n"
        assert place.snapshot() == first
        folder = place.folder
    assert not os.path.exists(folder)
    assert Tree.parse(desk.blobs.get(first.digest)) == first


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "d/../../x", "", "a/", ".git/config", "link/x", "link", "d"])
def test_no_path_leads_out_of_a_desk(tmp_path: Path, path: str) -> None:
    """Neither read nor written: dots, absolute paths, git's own folder, links and what lies behind them."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("secret")
    with Desk(tmp_path).open as place:
        os.symlink(outside, os.path.join(place.folder, "link"))
        with pytest.raises(DeskError) as read:
            place.read(path)
        with pytest.raises(DeskError):
            place.write(path, b"overwritten")
    assert repr(path) in str(read.value)
    assert (outside / "x").read_text() == "secret"
    assert [child.name for child in outside.iterdir()] == ["x"]


def test_half_of_a_large_file_is_never_read(tmp_path: Path) -> None:
    """A file past the limit is refused in words: an edit of its first part would lose the rest."""
    with Desk(tmp_path).open as place:
        place.write("big", b"x" * (MAX_READ + 1))
        with pytest.raises(DeskError, match="more than"):
            place.read("big")
        place.write("big", b"x" * MAX_READ)
        assert len(place.read("big")) == MAX_READ


def _sparse(folder: Path) -> None:
    with (folder / "big").open("wb") as file:
        file.truncate(2**40)


def _deep(folder: Path) -> None:
    Path(folder, *["d"] * 150).mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "said"),
    [(_sparse, "a file of 1099511627776 bytes"), (_deep, "folders 100 deep")],
)
def test_what_is_too_much_is_put_back(tmp_path: Path, make: Callable[[Path], None], said: str) -> None:
    """A tree that can't be kept is told in words, at once, and the last one stands again."""
    with Desk(tmp_path).open as place:
        place.write("mine", b"x")
        before = place.snapshot()
        make(Path(place.folder))
        with pytest.raises(DeskError, match=f"{said}.*as they were before"):
            place.snapshot()
        assert place.snapshot() == before


def test_a_folder_swapped_for_a_link_is_not_followed(tmp_path: Path) -> None:
    """Between two calls a folder may become a link: the write lands nowhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    with Desk(tmp_path).open as place:
        place.write("n/a.py", b"x")
        os.rename(os.path.join(place.folder, "n"), os.path.join(place.folder, "m"))
        os.symlink(outside, os.path.join(place.folder, "n"))
        with pytest.raises(DeskError):
            place.write("n/a.py", b"y")
        assert place.snapshot()["n"].mode == LINK
    assert list(outside.iterdir()) == []


def test_checks_get_an_environment_from_nothing(tmp_path: Path) -> None:
    """Nothing of ours is inherited, and HOME and TMPDIR are the check's own."""
    asked: list[Command] = []

    class Listening:
        level: SandboxLevel = "none"
        leaves_open = "everything"

        def run(self, command: Command) -> Ran:
            asked.append(command)
            return Ran(code=0)

    desk = Desk(tmp_path)
    os.environ["AGENTLOOP_TEST_SECRET"] = "canary"
    try:
        benches = Benches(Listening(), desk.workspace, PYTHON, "/kit", ("/own",))
        with benches.open(desk.tree) as bench:
            bench.launch(("true",), 5.0, {"EXTRA": "1"})
            folder, scratch = bench.folder, bench.scratch
    finally:
        del os.environ["AGENTLOOP_TEST_SECRET"]
    (command,) = asked
    assert "canary" not in str(command)
    assert command.env["HOME"].startswith(scratch)
    assert command.env["EXTRA"] == "1"
    assert command.writable == (folder, scratch)
    assert command.network is False


def test_a_check_that_changes_the_tree_is_noticed(tmp_path: Path) -> None:
    """Files that existed must be as they were; new ones don't count."""
    desk = Desk(tmp_path)
    with desk.benches.open(desk.tree) as bench:
        Path(bench.folder, "new").write_text("x")
        assert bench.disturbed() is None
        Path(bench.folder, "d/b.py").write_text("changed")
        assert bench.disturbed() == "d/b.py"
