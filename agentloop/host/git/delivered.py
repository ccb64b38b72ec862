"""Reads a delivered branch back: which commit it is, what it holds, and what its message is bound to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from agentloop.core.digest import sha256
from agentloop.core.tree import Tree, difference
from agentloop.errors import Refused
from agentloop.host.git.plumbing import GitError, git, line
from agentloop.host.git.source import Source, read_base

_TRAILER = re.compile(r"([A-Z][A-Za-z]*(?:-[A-Za-z]+)+): (.*)")
SHOWN = 3


@dataclass(frozen=True)
class Expected:
    """What the branch of a run must hold: the change from `base` to `tree` on the source's commit, and `trailers`.
    With `dirty` a commit of the uncommitted work lies between."""

    base: Tree
    tree: Tree
    trailers: tuple[tuple[str, str], ...]
    dirty: bool = False


def tip(source: Source, name: str) -> str | None:
    """The commit that the branch `name` points at; None where there is no such branch."""
    try:
        return line(source.toplevel, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}^{{commit}}")
    except GitError:
        return None


def holds(source: Source) -> bool:
    """Whether the source's commit is in its repository."""
    try:
        git(source.toplevel, "cat-file", "-e", f"{source.head}^{{commit}}")
    except GitError:
        return False
    return True


def differences(source: Source, commit: str, expected: Expected) -> list[str]:
    """In which ways `commit` is not what was expected; empty where it is just that."""
    try:
        return list(_differences(source, commit, expected))
    except (GitError, Refused, ValueError) as error:
        return [f"it can't be read: {error}"]


def _differences(source: Source, commit: str, expected: Expected) -> Iterable[str]:
    parents, trailers = _head(source, commit)
    for key, value in expected.trailers:
        if trailers.get(key) != value:
            yield f"its trailer {key} is {trailers.get(key, 'missing')!r}; wanted {value!r}"
    if expected.dirty and len(parents) == 1:
        yield from _content(source, parents[0], expected.base, "the commit before it")
        parents, _ = _head(source, parents[0])
    if parents != [source.head]:
        yield f"its parent is {', '.join(parents) or 'none'}; wanted the base commit {source.head}"
    yield from _content(source, commit, expected.tree, "it")


def _head(source: Source, commit: str) -> tuple[list[str], dict[str, str]]:
    """Parents and trailers: the lines of the message's last paragraph."""
    text = git(source.toplevel, "cat-file", "commit", commit).decode("utf-8", "replace")
    headers, _, message = text.partition("\n\n")
    parents = [row.removeprefix("parent ") for row in headers.splitlines() if row.startswith("parent ")]
    last = message.rstrip("\n").rpartition("\n\n")[2]
    return parents, {found[1]: found[2] for row in last.splitlines() if (found := _TRAILER.fullmatch(row))}


def _content(source: Source, commit: str, tree: Tree, what: str) -> Iterable[str]:
    """Whether the scope holds exactly `tree`, and all beside it is as in the source's commit."""
    found = read_base(replace(source, head=commit), sha256)
    if found.digest != tree.digest:
        yield f"{what} holds other files: {_some(difference(tree, found))}"
    out = git(source.toplevel, "diff-tree", "-r", "-z", "--no-renames", "--name-only", source.head, commit)
    paths = [os.fsdecode(name) for name in out.split(b"\0") if name]
    if beside := [path for path in paths if not path.startswith(source.prefix)]:
        yield f"{what} changes files beside the scope {source.prefix!r}: {_some(beside)}"


def _some(paths: Iterable[str]) -> str:
    paths = sorted(paths)
    return ", ".join(map(repr, paths[:SHOWN])) + (f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else "")
