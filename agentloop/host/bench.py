"""Benches: a fresh tree, an environment from nothing, and a sandbox, for one check at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agentloop.core.process import Command, Ran
from agentloop.core.task import Finding
from agentloop.core.tree import LINK, Tree
from agentloop.ports import Bench, Launch, Python, Sandbox, Workspace


@dataclass(frozen=True)
class Benches:
    """Opens benches. `kit` is the folder of the scripts that run inside; `readable` what else checks may read,
    `refusal` why a worker may not start a command."""

    sandbox: Sandbox
    workspace: Workspace
    python: Python
    kit: str
    readable: tuple[str, ...]
    refusal: Callable[[tuple[str, ...]], str | None] = field(default=lambda argv: "no command may be cited here")

    @contextmanager
    def open(
        self,
        tree: Tree,
        expected: Mapping[str, str] | None = None,
        findings: tuple[Finding, ...] | None = None,
    ) -> Iterator[Bench]:
        """A bench on `tree`; everything it made is gone when the context ends."""
        shown = without_bytecode(tree)
        with self.workspace.fresh(shown) as folder, self.workspace.fresh(Tree()) as scratch:
            yield Bench(
                folder=folder,
                scratch=scratch,
                base=self.workspace.base,
                tree=tree,
                python=self.python,
                kit=self.kit,
                launch=self.launcher(folder, scratch),
                read=self.workspace.read,
                again=lambda other: self.open(other, expected, findings),
                level=self.sandbox.level,
                disturbed=lambda: _disturbed(folder, shown),
                expected=expected,
                findings=findings,
                refusal=self.refusal,
            )

    def launcher(self, folder: str, scratch: str) -> Launch:
        """What starts commands in `folder`."""
        env = environment(self.python, folder, scratch)
        readable = (*self.python.readable, *self.readable, self.kit)

        def launch(argv: tuple[str, ...], timeout: float, extra: Mapping[str, str], stdin: bytes = b"") -> Ran:
            command = Command(
                argv=argv,
                cwd=folder,
                env={**env, **extra},
                writable=(folder, scratch),
                readable=readable,
                timeout=timeout,
                stdin=stdin,
            )
            return self.sandbox.run(command)

        return launch


def without_bytecode(tree: Tree) -> Tree:
    """`tree` without compiled Python: a stale or planted .pyc beside the source must never be what runs."""
    return Tree({path: entry for path, entry in tree.items() if not path.endswith((".pyc", ".pyo"))})


def environment(python: Python, folder: str, scratch: str) -> dict[str, str]:
    """All variables that a check sees: nothing of the user's, and nothing that differs from run to run."""
    for name in ("home", "tmp"):
        os.makedirs(os.path.join(scratch, name), exist_ok=True)
    return {
        "PATH": f"{Path(python.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": os.path.join(scratch, "home"),
        "TMPDIR": os.path.join(scratch, "tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PAGER": "cat",
        "CI": "true",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **python.environ(folder),
    }


def _disturbed(folder: str, tree: Tree) -> str | None:
    """The first file of `tree` that is not as it was; files that a check made beside them don't count."""
    for path, entry in tree.items():
        name = os.path.join(folder, path)
        try:
            data = os.readlink(name).encode() if entry.mode == LINK else Path(name).read_bytes()
        except OSError:
            return path
        if hashlib.sha256(data).hexdigest() != entry.blob:
            return path
    return None
