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
from agentloop.host.git import deliver, delivered, source, start
from agentloop.state import State

SHOWN = 5
ELSEWHERE = "rename or delete that branch and resume the run, or apply the patch in the run folder"


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
        wanted: delivered.Expected,
        get: Callable[[str], bytes],
        message: str,
    ) -> str:
        """Make the branch `name`, where it is not there yet, and return it; empty for a plain folder.

        Raises Refused where a branch of that name holds anything else, or it can't be made.
        """
        if self.repository is None:
            return ""
        if commit := delivered.tip(self.repository, name):
            if wrong := delivered.differences(self.repository, commit, wanted):
                raise Refused(f"the branch {name} is there already, and it is not this run's: {wrong[0]}", ELSEWHERE)
            return name
        before = source.read_base(self.repository, sha256) if self.dirty else None
        deliver.make_branch(
            self.repository, wanted.base, wanted.tree, get, name, message, list(wanted.trailers), before
        )
        return name

    def apply(self, base: Tree, tree: Tree, get: Callable[[str], bytes]) -> None:
        """Bring the change into the user's files. Raises Refused where they are no longer as base was."""
        deliver.apply(self.root, base, tree, get)


def branch_name(state: State) -> str:
    """The branch that a run delivers to."""
    return f"agentloop/{state.began.run}"


def delivery(state: State, head: str) -> delivered.Expected:
    """What the branch of a run must hold; `head` is its log's."""
    run, tree = state.began.run, state.folded.candidate
    trailers = (("Agentloop-Run", run), ("Agentloop-Tree", tree), ("Agentloop-Log-Head", head))
    return delivered.Expected(state.base, state.candidate, trailers, state.began.dirty)


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
