"""The result in the user's repository: a branch by compare-and-swap, and on request the files of the checkout."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from agentloop.core.tree import EXECUTABLE, LINK, Entry, Tree, difference
from agentloop.errors import Refused
from agentloop.host.git.plumbing import AUTHOR, GitError, git
from agentloop.host.git.source import Source

Get = Callable[[str], bytes]


def make_branch(
    source: Source,
    base: Tree,
    tree: Tree,
    get: Get,
    name: str,
    message: str,
    trailers: list[tuple[str, str]],
    before: Tree | None = None,
) -> str:
    """Make the branch `name` with `tree` in the scope and return its commit.

    Only objects and that one ref are written: index, checkout, HEAD and configuration stay, and no hook or filter
    runs. Where the run started from uncommitted changes, `before` is the commit's own tree and `base`, which has
    them, gets a commit of its own first. Raises Refused where the branch exists or can't be made.
    """
    try:
        parent = source.head
        if before is not None:
            parent = _commit(source, parent, before, base, get, "Uncommitted changes that the run started from")
        lines = "".join(f"{key}: {value}\n" for key, value in trailers)
        commit = _commit(source, parent, base, tree, get, f"{message}\n\n{lines}")
        nothing = "0" * len(source.head)
        git(source.toplevel, "update-ref", "--no-deref", f"refs/heads/{name}", commit, nothing)
    except GitError as error:
        raise Refused(f"the branch {name} could not be made: {error}", "the patch is in the run folder") from error
    return commit


def _commit(source: Source, parent: str, old: Tree, new: Tree, get: Get, message: str) -> str:
    """A commit on `parent` with the change from `old` to `new`, by way of an index of our own."""
    with tempfile.TemporaryDirectory(prefix="agentloop-index-") as folder:
        env = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        git(source.toplevel, "read-tree", parent, env=env)
        records = b"".join(_staged(source, path, entry, get) for path, (_, entry) in difference(old, new).items())
        git(source.toplevel, "update-index", "-z", "--index-info", stdin=records, env=env)
        root = git(source.toplevel, "write-tree", env=env).decode().strip()
    made = git(source.toplevel, "commit-tree", root, "-p", parent, stdin=message.encode(), env=AUTHOR)
    return made.decode().strip()


def _staged(source: Source, path: str, entry: Entry | None, get: Get) -> bytes:
    name = os.fsencode(source.prefix + path)
    if entry is None:
        return b"0 " + b"0" * len(source.head) + b"\t" + name + b"\0"
    blob = git(source.toplevel, "hash-object", "-w", "--no-filters", "--stdin", stdin=get(entry.blob)).strip()
    return b"%06o " % entry.mode + blob + b"\t" + name + b"\0"


def apply(root: Path, base: Tree, tree: Tree, get: Get) -> None:
    """Bring the change from `base` to `tree` into the files below `root`, all of it or nothing.

    A file that is there as it shall be is left alone, so that this may be repeated. Raises Refused, with the first
    file, where one that changes is no longer as base was, or lies behind a link.
    """
    change = difference(base, tree)
    change = {path: pair for path, pair in change.items() if not _done(root, path, pair[1], get)}
    for path, (old, _) in change.items():
        _unchanged(root, path, old, get)
    written: list[tuple[Path, Path]] = []
    try:
        for path, (_, new) in change.items():
            if new is not None:
                written.append((_aside(root / path, new, get(new.blob)), root / path))
    except OSError as error:
        for aside, _ in written:
            aside.unlink(missing_ok=True)
        raise Refused(
            f"{error.filename}: {error.strerror}", "nothing was applied; the branch or patch is there"
        ) from error
    for aside, target in written:
        os.replace(aside, target)
    for path, (_, new) in change.items():
        if new is None:
            (root / path).unlink()


def _unchanged(root: Path, path: str, old: Entry | None, get: Get) -> None:
    if any((root / parent).is_symlink() for parent in Path(path).parents):
        raise Refused(f"{path} lies behind a link", "apply the patch by hand")
    if not _is(root, path, old, get):
        raise Refused(
            f"{path} is no longer as it was when the run began", "nothing was applied; the branch or patch is there"
        )


def _done(root: Path, path: str, new: Entry | None, get: Get) -> bool:
    """Whether the file is what it shall become, its mode included."""
    if new is None or new.mode == LINK or not _is(root, path, new, get):
        return _is(root, path, new, get)
    return bool((root / path).stat().st_mode & 0o100) == (new.mode == EXECUTABLE)


def _is(root: Path, path: str, entry: Entry | None, get: Get) -> bool:
    """Whether the file, and its kind, is what `entry` says (None: it is not there)."""
    target = root / path
    if entry is None or not os.path.lexists(target):
        return entry is None and not os.path.lexists(target)
    if any((root / parent).is_symlink() for parent in Path(path).parents):
        return False
    if target.is_symlink():
        return entry.mode == LINK and os.fsencode(os.readlink(target)) == get(entry.blob)
    return entry.mode != LINK and target.is_file() and target.read_bytes() == get(entry.blob)


def _aside(target: Path, entry: Entry, data: bytes) -> Path:
    """The new file beside its place, ready to be renamed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".agentloop-{secrets.token_hex(6)}")
    if entry.mode == LINK:
        aside.symlink_to(os.fsdecode(data))
    else:
        aside.write_bytes(data)
        aside.chmod(0o755 if entry.mode == EXECUTABLE else 0o644)
    return aside
