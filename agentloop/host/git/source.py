"""A repository as base: which commit, which part of it, and its bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentloop.core.protect import git_like
from agentloop.core.tree import Entry, Tree
from agentloop.errors import Refused
from agentloop.host.git.plumbing import GitError, git, line

GITLINK = 0o160000
UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or `git am`",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
"""What lies in the git folder while something is under way → what it is."""


@dataclass(frozen=True)
class Source:
    """A repository at a commit. `prefix` is the scope below `toplevel` (empty, or with a final ``/``)."""

    toplevel: Path
    git_dir: Path
    prefix: str
    head: str

    @property
    def root(self) -> Path:
        """The folder that holds the work."""
        return self.toplevel / self.prefix


def open_source(folder: Path) -> Source:
    """The repository that `folder` is, or lies in, at its HEAD.

    Raises Refused for what is no repository, is bare, has no commit, or is in the middle of something.
    """
    if not folder.is_dir():
        raise Refused(f"repo: {folder}: there is no such folder", "`repo` is relative to the goal file")
    try:
        bare = line(folder, "rev-parse", "--is-bare-repository") == "true"
        git_dir = Path(line(folder, "rev-parse", "--absolute-git-dir"))
    except GitError as error:
        raise Refused(
            f"{folder.resolve()} is not a git repository ({error})",
            "run `git init` and commit, set `repo:`, or use `copy: FOLDER` for a plain folder",
        ) from error
    if bare:
        raise Refused(f"{folder.resolve()} is a bare repository", "use a clone that has a working tree")
    for name, what in UNFINISHED.items():
        if (git_dir / name).exists():
            raise Refused(f"{folder.resolve()} is in the middle of {what}", "finish or abort it first")
    try:
        toplevel = Path(line(folder, "rev-parse", "--show-toplevel"))
        prefix = line(folder, "rev-parse", "--show-prefix")
    except GitError as error:
        raise Refused(f"{folder.resolve()} has no working tree ({error})", "use a clone that has one") from error
    try:
        head = line(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError as error:
        raise Refused(f"{toplevel} has no commit yet", "make a first commit: it is the base of the run") from error
    return Source(toplevel, git_dir, prefix, head)


def listing(source: Source) -> Iterator[tuple[str, int, str]]:
    """Path below the scope, mode and object name of every file of base. Raises Refused for a submodule."""
    scope = source.head + (f":{source.prefix.rstrip('/')}" if source.prefix else "")
    try:
        out = git(source.toplevel, "ls-tree", "-r", "-z", "--full-tree", scope)
    except GitError as error:
        raise Refused(
            f"{source.prefix or source.toplevel} is not part of commit {source.head[:12]}", str(error)
        ) from error
    for record in out.split(b"\0")[:-1]:
        about, _, name = record.partition(b"\t")
        mode, _, blob = about.decode().split(" ")
        path = os.fsdecode(name)
        if int(mode, 8) == GITLINK:
            raise Refused(f"{path} is a submodule", "agentloop can't work on one: set `repo:` to a folder without it")
        if git_like(path) and path.rpartition("/")[2] != ".gitmodules":
            raise Refused(f"{path!r} has a name that git uses for itself", "take it out of the repository first")
        yield path, int(mode, 8), blob


def read_base(source: Source, put: Callable[[bytes], str]) -> Tree:
    """The tree of base within the scope; blobs go to `put`. Raises Refused for missing objects."""
    files = list(listing(source))
    entries = {}
    for (path, mode, _), data in zip(files, contents(source, [blob for _, _, blob in files]), strict=True):
        entries[path] = Entry(mode, put(data), len(data))
    return Tree(entries)


def contents(source: Source, blobs: list[str]) -> Iterator[bytes]:
    """The bytes of each of `blobs`, in order, as git keeps them: no filter is applied."""
    out = git(source.toplevel, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs).encode())
    place = 0
    for blob in blobs:
        end = out.index(b"\n", place)
        about = out[place:end].split(b" ")
        if about[-1] == b"missing":
            raise Refused(
                f"the object {blob} is missing from {source.toplevel}", "fetch it: the clone is shallow or partial"
            )
        size = int(about[2])
        yield out[end + 1 : end + 1 + size]
        place = end + 1 + size + 1
