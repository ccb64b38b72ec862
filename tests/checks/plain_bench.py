"""A bench on plain subprocesses, with trees in a dict: what the checks are tried on."""

from __future__ import annotations

import itertools
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.digest import sha256
from agentloop.core.process import Captured, Ran
from agentloop.core.tree import FILE, LINK, Entry, Tree
from agentloop.ports import Bench, Python

KIT = str(Path(__file__).parents[2] / "agentloop" / "kit")
PYTHON = Python(
    executable=sys.executable,
    version=platform.python_version(),
    environ=lambda tree: {"PYTHONPATH": KIT, "AGENTLOOP_TREE": tree},
    readable=(),
    fingerprint="test",
)


@dataclass
class Ground:
    """A place under `folder` that makes benches. Files are given as path → text; None takes one away."""

    folder: Path
    python: Python = PYTHON
    blobs: dict[str, bytes] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def tree(self, files: Mapping[str, str | bytes]) -> Tree:
        entries = {}
        for path, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            mode = LINK if data.startswith(b"->") else FILE
            data = data.removeprefix(b"->")
            self.blobs[sha256(data)] = data
            entries[path] = Entry(mode, sha256(data), len(data))
        return Tree(entries)

    @contextmanager
    def bench(self, base: Tree, tree: Tree) -> Iterator[Bench]:
        place = self.folder / str(next(self.numbers))
        folder, scratch = place / "tree", place / "scratch"
        folder.mkdir(parents=True)
        scratch.mkdir()
        for path, entry in tree.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if entry.mode == LINK:
                os.symlink(self.blobs[entry.blob].decode(), target)
            else:
                target.write_bytes(self.blobs[entry.blob])
        yield Bench(
            folder=str(folder),
            scratch=str(scratch),
            base=base,
            tree=tree,
            python=self.python,
            kit=KIT,
            launch=lambda argv, timeout, extra, stdin=b"": self.launch(folder, argv, timeout, extra, stdin),
            read=lambda tree, path: self.blobs[tree[path].blob],
            again=lambda other: self.bench(base, other),
            disturbed=lambda: next((path for path in tree if not self.intact(folder, tree, path)), None),
        )

    def intact(self, folder: Path, tree: Tree, path: str) -> bool:
        """Whether a plain file is there as it was."""
        place = folder / path
        return tree[path].mode == LINK or (place.is_file() and place.read_bytes() == self.blobs[tree[path].blob])

    def launch(
        self, folder: Path, argv: tuple[str, ...], timeout: float, extra: Mapping[str, str], stdin: bytes = b""
    ) -> Ran:
        path = f"{os.path.dirname(self.python.executable)}:/usr/bin:/bin"
        env = {"PATH": path, "PYTHONHASHSEED": "0", "LANG": "C.UTF-8"}
        env["PYTHONPYCACHEPREFIX"] = str(self.folder.parent / "bytecode")  # compiling pytest each time takes seconds
        env |= self.python.environ(str(folder))
        begun = time.monotonic()
        try:
            process = subprocess.Popen(
                argv,
                cwd=folder,
                env=env | dict(extra),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            return Ran(missing=str(error))
        try:
            out, err = process.communicate(stdin, timeout=timeout)
            timed_out = False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            timed_out = True
        code = process.returncode
        return Ran(
            code=code if code >= 0 and not timed_out else None,
            signal=-code if code < 0 and not timed_out else None,
            timed_out=timed_out,
            stdout=Captured(out, total=len(out)),
            stderr=Captured(err, total=len(err)),
            seconds=time.monotonic() - begun,
        )

    def take(
        self,
        spec: CheckSpec,
        base: Mapping[str, str | bytes],
        change: Mapping[str, str | bytes | None] | None = None,
        **bench: object,
    ) -> CheckResult:
        """The result of `spec` on `base` with `change` put in; `bench` sets further fields of the bench."""
        after = {path: text for path, text in {**base, **(change or {})}.items() if text is not None}
        with self.bench(self.tree(base), self.tree(after)) as place:
            return KINDS[spec.kind].run(spec, replace(place, **bench))  # type: ignore[arg-type]
