"""Where a run starts from, and where its result goes: a git repository, or a plain folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agentloop.core.digest import sha256
from agentloop.core.goal import Goal
from agentloop.core.tree import Tree
from agentloop.errors import Refused
from agentloop.host import folder as plain
from agentloop.host.git import deliver, source, start

SHOWN = 5


@dataclass(frozen=True)
class Origin:
    """`repository` is None for a plain folder. `root` is the folder that holds the work."""

    root: Path
    repository: source.Source | None
    dirty: bool = False

    @property
    def commit(self) -> str:
        """The full hash of base; empty for a plain folder."""
        return self.repository.head if self.repository else ""

    def at(self, commit: str, dirty: bool) -> Origin:
        """The same place at the commit that a run began from, wherever HEAD is now."""
        repository = replace(self.repository, head=commit) if self.repository else None
        return replace(self, repository=repository, dirty=dirty)

    def tree(self, put: Callable[[bytes], str]) -> Tree:
        """Base, with uncommitted changes of tracked files where they are taken along. Blobs go to `put`."""
        if self.repository is None:
            return plain.import_folder(self.root, put)
        tree = source.read_base(self.repository, put)
        return start.with_dirty(self.repository, tree, put) if self.dirty else tree

    def branch(
        self,
        name: str,
        base: Tree,
        tree: Tree,
        get: Callable[[str], bytes],
        message: str,
        trailers: list[tuple[str, str]],
    ) -> str:
        """Make the branch `name`, where it is not there yet, and return it; empty for a plain folder."""
        if self.repository is None:
            return ""
        if deliver.exists(self.repository, name):
            return name
        before = source.read_base(self.repository, lambda data: sha256(data)) if self.dirty else None
        deliver.make_branch(self.repository, base, tree, get, name, message, trailers, before)
        return name

    def apply(self, base: Tree, tree: Tree, get: Callable[[str], bytes]) -> None:
        """Bring the change into the user's files. Raises Refused where they are no longer as base was."""
        deliver.apply(self.root, base, tree, get)


def find_origin(goal: Goal, dirty: bool) -> Origin:
    """The origin that `goal` names, its start state checked. Raises Refused."""
    home = Path(goal.home)
    if goal.copy_from is not None:
        root = home / goal.copy_from
        if not root.is_dir():
            raise Refused(f"copy: {goal.copy_from}: there is no such folder", f"looked for {root.resolve()}")
        return Origin(root.resolve(), None)
    repository = source.open_source(home / (goal.repo or "."))
    changed = start.dirty(repository)
    if changed and not dirty:
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        listed = ", ".join(repr(path) for path in changed[:SHOWN])
        raise Refused(
            f"the repository has uncommitted changes: {listed}{more}",
            "commit or stash them, or take them along with --dirty",
        )
    return Origin(repository.root, repository, bool(changed))
