"""The localisation of the search as a tool for models: measured on the tree at their desk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentloop.core.goal import Goal
from agentloop.core.screen import allowed
from agentloop.core.task import Task
from agentloop.core.tree import Tree
from agentloop.host.bench import Benches
from agentloop.ports import Desk, DeskError
from agentloop.roles.verifier import Verifier
from agentloop.state import State
from agentloop.workers.repair.oracle import COMMAND_TEST, Oracle, oracle
from agentloop.workers.repair.standing import kept_green, place_on
from agentloop.workers.repair.suspects import suspects


@dataclass(frozen=True)
class Locator:
    """Finds suspicious lines for `task`: by the tests that are named, else by those of its checks and the goal's."""

    state: State
    goal: Goal
    verifier: Verifier
    benches: Benches
    task: Task

    def __call__(self, desk: Desk, tests: tuple[str, ...]) -> str:
        """Ranked lines as text. Raises DeskError where there is no test to go by."""
        tree = desk.snapshot()
        aim = Oracle(tests) if tests else self._oracle(tree)
        if not aim.targets:
            raise DeskError("no check of this task runs Python tests; name failing tests, such as tests/test_a.py")
        if absent := [test for test in tests if test.partition("::")[0].rstrip("/") not in _places(tree)]:
            raise DeskError(f"{absent[0]!r} is neither a file nor a folder of the tree; see `list`")
        fence = self.verifier.fence
        with self.benches.open(tree) as bench:
            if aim.test:
                Path(bench.folder, COMMAND_TEST).write_text(aim.test, encoding="utf-8")
            place = place_on(bench, self.benches, tree, lambda path: allowed(path, fence, True) is None)
            return suspects(place, aim.targets, tuple(sorted(kept_green(self.state, self.verifier))))

    def _oracle(self, tree: Tree) -> Oracle:
        """All test files of the checks, or the first command that starts Python."""
        found = [oracle(spec, (), tree) for spec in (*self.task.acceptance, *self.goal.accept)]
        files = [target for aim in found if not aim.test for target in aim.targets]
        commands = [aim for aim in found if aim.test]
        return Oracle(tuple(dict.fromkeys(files))) if files or not commands else commands[0]


def _places(tree: Tree) -> set[str]:
    """Files and folders."""
    parts = [path.split("/") for path in tree]
    return {"/".join(names[:count]) for names in parts for count in range(1, len(names) + 1)} | {"."}


def python_tests(goal: Goal, base: Tree) -> bool:
    """Whether the search has anything to go by: Python files, and a check of the goal that runs tests of theirs."""
    return any(path.endswith(".py") for path in base) and any(oracle(spec, (), base).targets for spec in goal.checks)
