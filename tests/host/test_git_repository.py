"""The user's repository is data: read byte for byte, never executed, and given one branch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentloop.core.tree import EXECUTABLE, FILE, LINK, Entry, Tree
from agentloop.errors import Refused
from agentloop.host.git.deliver import apply, make_branch
from agentloop.host.git.delivered import Expected, differences, tip
from agentloop.host.git.source import Source, open_source, read_base
from agentloop.host.git.start import dirty, with_dirty
from tests.fakes import FakeBlobs
from tests.repos import ENV, fingerprint, git, repository, write

FILES = {
    "plain.txt": b"one\ntwo\n",
    "crlf.txt": b"a\r\nb\r\n",
    "binary.bin": bytes(range(256)) * 4,
    "with space.txt": b"x",
    "d/\xc3\xbcml\xc3\xa4ut.txt": b"\xff\xfe not text",
    "empty": b"",
}


def lay(folder: Path, files: dict[str, bytes] | None = None, **options: str) -> Path:
    """A repository with odd files, an executable and a link, committed byte for byte."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items()))
    for name, data in (files or FILES).items():
        path = folder / os.fsdecode(name.encode("latin-1"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "tool.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "tool.sh").chmod(0o755)
    (folder / "link").symlink_to("plain.txt")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def read(source: Source) -> tuple[FakeBlobs, Tree]:
    blobs = FakeBlobs()
    return blobs, read_base(source, blobs.put)


def held(blobs: FakeBlobs, tree: Tree) -> dict[str, tuple[int, bytes]]:
    return {path: (entry.mode, blobs.get(entry.blob)) for path, entry in tree.items()}


@pytest.mark.parametrize("options", [{}, {"object_format": "sha256"}], ids=["sha1", "sha256"])
def test_base_is_head_byte_for_byte(tmp_path: Path, options: dict[str, str]) -> None:
    """Every file, mode and link of HEAD, as git keeps it, in both object formats."""
    repo = lay(tmp_path / "repo", **options)
    found = held(*read(open_source(repo)))
    assert found.pop("tool.sh") == (EXECUTABLE, b"#!/bin/sh\n")
    assert found.pop("link") == (LINK, b"plain.txt")
    assert found == {os.fsdecode(name.encode("latin-1")): (FILE, data) for name, data in FILES.items()}


def test_a_subfolder_a_worktree_and_a_detached_head_are_fine(tmp_path: Path) -> None:
    """Scope is the folder; a linked worktree and a detached HEAD have a commit like any other."""
    repo = lay(tmp_path / "repo")
    blobs, tree = read(open_source(repo / "d"))
    assert list(held(blobs, tree)) == [os.fsdecode(b"\xc3\xbcml\xc3\xa4ut.txt")]
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = open_source(tmp_path / "linked")
    assert linked.head == open_source(repo).head
    assert dirty(linked) == []
    assert read(linked)[1] == read(open_source(repo))[1]


def test_changes_of_tracked_files_are_named_and_untracked_ones_are_not(tmp_path: Path) -> None:
    """Modified, deleted, staged, mode changed; a file that git does not know never matters."""
    repo = lay(tmp_path / "repo")
    source = open_source(repo)
    (repo / "new.txt").write_text("untracked")
    assert dirty(source) == []
    (repo / "plain.txt").write_text("three")
    (repo / "binary.bin").unlink()
    (repo / "tool.sh").chmod(0o644)
    (repo / "staged.txt").write_text("s")
    git(repo, "add", "staged.txt")
    assert dirty(source) == ["binary.bin", "plain.txt", "staged.txt", "tool.sh"]
    blobs, tree = read(source)
    taken = held(blobs, with_dirty(source, tree, blobs.put))
    assert taken["plain.txt"] == (FILE, b"three")
    assert taken["staged.txt"] == (FILE, b"s")
    assert "binary.bin" not in taken
    assert taken["tool.sh"][0] == FILE


def test_line_ends_and_filters_are_no_changes(tmp_path: Path) -> None:
    """A checkout with converted line ends, or with what a filter made of a file, counts as clean."""
    repo = lay(
        tmp_path / "repo", {"a.txt": b"one\ntwo\n", "big.dat": b"pointer\n", ".gitattributes": b"*.dat filter=lfs\n"}
    )
    (repo / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (repo / "big.dat").write_bytes(b"what the pointer stands for\n")
    git(repo, "-c", "filter.lfs.clean=printf 'pointer\\n'", "add", "big.dat")
    source = open_source(repo)
    assert dirty(source) == []
    (repo / "big.dat").write_bytes(b"something else now\n")
    assert dirty(source) == ["big.dat"]


def _markers(repo: Path, marker: Path) -> None:
    """Hooks, filters and helpers that leave `marker` where they run."""
    touch = f"touch {marker}"
    for name in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change", "post-commit"):
        hook = repo / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{touch}\n")
        hook.chmod(0o755)
    for key, value in {
        "core.fsmonitor": touch, "filter.e.clean": f"sh -c '{touch}; cat'", "filter.e.smudge": f"sh -c '{touch}; cat'",
        "diff.external": touch, "diff.t.textconv": touch, "core.pager": touch, "gpg.program": touch,
        "alias.ls-tree": f"!{touch}", "core.sshCommand": touch, "credential.helper": f"!{touch}",
    }.items():  # fmt: skip
        git(repo, "config", key, value)
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("* filter=e diff=t\n")


def test_nothing_of_the_repository_is_executed(tmp_path: Path) -> None:
    """With hooks, filters and helpers planted everywhere, reading, comparing and delivering leave no marker."""
    repo, marker = lay(tmp_path / "repo"), tmp_path / "marker"
    _markers(repo, marker)
    marker.unlink(missing_ok=True)
    before = fingerprint(repo)
    source = open_source(repo)
    blobs, base = read(source)
    dirty(source)
    assert fingerprint(repo) == before
    after = Tree({**base, "plain.txt": Entry(FILE, blobs.put(b"new"), 3)})
    make_branch(source, base, after, blobs.get, "agentloop/r1", "message", [("Agentloop-Run", "r1")])
    assert fingerprint(repo, branches=False) == before
    assert not marker.exists()


@pytest.mark.parametrize("scope", ["", "d/"])
@pytest.mark.parametrize("options", [{}, {"object_format": "sha256"}], ids=["sha1", "sha256"])
def test_the_branch_is_base_plus_the_change(tmp_path: Path, scope: str, options: dict[str, str]) -> None:
    """One commit on base with exactly the change, in the scope; a second one of that name is refused."""
    repo = lay(tmp_path / "repo", **options)
    source = open_source(repo / scope)
    blobs, base = read(source)
    after = Tree({**base, "deep/new file.bin": Entry(EXECUTABLE, blobs.put(b"\0\r\n"), 3)})
    gone = next(iter(base))
    after = Tree({path: entry for path, entry in after.items() if path != gone})
    before = fingerprint(repo)
    commit = make_branch(source, base, after, blobs.get, "agentloop/r1", "Mend it", [("Agentloop-Run", "r1")])
    assert fingerprint(repo, branches=False) == before
    assert git(repo, "rev-parse", "agentloop/r1^") == source.head
    assert git(repo, "log", "-1", "--format=%B", commit).endswith("Agentloop-Run: r1")
    changed = git(
        repo, "-c", "core.quotePath=false", "diff-tree", "-r", "--name-status", source.head, commit
    ).splitlines()
    assert sorted(changed) == sorted([f"A\t{scope}deep/new file.bin", f"D\t{scope}{gone}"])
    again = open_source(repo / scope)
    moved = Source(again.toplevel, again.git_dir, again.prefix, commit)
    assert held(blobs, read_base(moved, blobs.put)) == held(blobs, after)
    assert tip(source, "agentloop/r1") == commit
    assert differences(source, commit, Expected(base, after, (("Agentloop-Run", "r1"),))) == []
    with pytest.raises(Refused, match="agentloop/r1 could not be made"):
        make_branch(source, base, base, blobs.get, "agentloop/r1", "again", [])


def test_uncommitted_work_gets_a_commit_of_its_own(tmp_path: Path) -> None:
    """Started from a dirty checkout, the branch holds that work first and then the change alone."""
    repo = lay(tmp_path / "repo")
    source = open_source(repo)
    blobs, clean = read(source)
    (repo / "plain.txt").write_bytes(b"mine\n")
    base = with_dirty(source, clean, blobs.put)
    after = Tree({**base, "empty": Entry(FILE, blobs.put(b"full"), 4)})
    commit = make_branch(source, base, after, blobs.get, "agentloop/r2", "Mend it", [], before=clean)
    assert git(repo, "diff-tree", "-r", "--name-only", f"{commit}^", commit) == "empty"
    assert git(repo, "diff-tree", "-r", "--name-only", source.head, f"{commit}^") == "plain.txt"
    assert differences(source, commit, Expected(base, after, (), dirty=True)) == []
    assert "its parent is" in differences(source, commit, Expected(base, after, ()))[0]
    other = Expected(clean, after, (), dirty=True)
    assert differences(source, commit, other) == ["the commit before it holds other files: 'plain.txt'"]


def test_a_checkout_is_changed_only_while_it_equals_base(tmp_path: Path) -> None:
    """Applied whole; one file that differs, or a link on the way, and nothing at all is applied."""
    repo = lay(tmp_path / "repo")
    blobs, base = read(open_source(repo))
    after = Tree(
        {
            **{path: entry for path, entry in base.items() if path != "crlf.txt"},
            "plain.txt": Entry(EXECUTABLE, blobs.put(b"new"), 3),
            "n/e/w": Entry(FILE, blobs.put(b"w"), 1),
        }
    )
    (repo / "plain.txt").write_bytes(b"edited meanwhile")
    before = fingerprint(repo)
    with pytest.raises(Refused, match=r"plain\.txt is no longer as it was"):
        apply(repo, base, after, blobs.get)
    assert fingerprint(repo) == before
    (repo / "plain.txt").write_bytes(b"one\ntwo\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / "n").symlink_to(outside)
    with pytest.raises(Refused, match="n/e/w lies behind a link"):
        apply(repo, base, after, blobs.get)
    assert list(outside.iterdir()) == []
    (repo / "n").unlink()
    apply(repo, base, after, blobs.get)
    assert (repo / "plain.txt").read_bytes() == b"new"
    assert os.access(repo / "plain.txt", os.X_OK)
    assert (repo / "n/e/w").read_bytes() == b"w"
    assert not (repo / "crlf.txt").exists()
    done = fingerprint(repo)
    apply(repo, base, after, blobs.get)
    assert fingerprint(repo) == done, "a second time there is nothing to do"
    os.chmod(repo / "plain.txt", 0o644)
    mode = after["plain.txt"]
    apply(repo, Tree({"plain.txt": Entry(FILE, mode.blob, 3)}), Tree({"plain.txt": mode}), blobs.get)
    assert os.access(repo / "plain.txt", os.X_OK)


def _conflict(folder: Path) -> Path:
    repo = repository(folder)
    for branch, text in (("side", "x = 1\n"), ("main", "x = 2\n")):
        git(repo, "checkout", "-q", *(["-b"] if branch == "side" else []), branch)
        write(repo, {"calc.py": text})
        git(repo, "commit", "-qam", branch)
    subprocess.run(["git", "merge", "-q", "side"], cwd=repo, env=ENV, capture_output=True, check=False)
    return repo


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a merge": (_conflict, "in the middle of a merge"),
    "no commit": (lambda folder: repository(folder, commit=False), "has no commit yet"),
    "no repository": (lambda folder: folder, "is not a git repository|no such folder"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_ready_is_refused(name: str, tmp_path: Path) -> None:
    """With one sentence, and without a trace in the repository."""
    make, words = REFUSED[name]
    repo = make(tmp_path / "repo")
    before = fingerprint(repo)
    with pytest.raises(Refused, match=words):
        open_source(repo)
    assert fingerprint(repo) == before


def test_a_missing_object_is_named(tmp_path: Path) -> None:
    """A clone that lacks a file's content is refused with the object's name."""
    repo = lay(tmp_path / "repo")
    blob = git(repo, "rev-parse", "HEAD:plain.txt")
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(Refused, match=f"the object {blob} is missing"):
        read(open_source(repo))
