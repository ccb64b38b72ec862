"""The key `hidden`: checks that stand outside the repository, read whole, with every file that they bring along."""

from __future__ import annotations

import base64
import os
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentloop.checks.io_cases import read_cases
from agentloop.core.check import Beside, CheckSpec, HiddenSpec
from agentloop.core.goal import MAX_CHECKS, Goal
from agentloop.errors import GoalFileError
from agentloop.wiring.goalfile.nodes import MAX_BYTES, Node, Problems, Scalar, compose
from agentloop.wiring.goalfile.parts import CheckType, inside_problem
from agentloop.wiring.goalfile.types import Many, Text

MAX_FILES, MAX_BROUGHT = 500, 4 * 1024 * 1024
"""Of all hidden checks together: files, and their bytes."""

_SKIPPED = ("__pycache__", ".git", ".pytest_cache")
_BETWEEN = re.compile(r"[\s;|&<>()'\"=,]+")
PATH = Text(400, inside_problem)


@dataclass(frozen=True)
class HiddenType:
    """The path of a file with a list of checks, or that list itself."""

    checks: Many

    def read(self, node: Node, problems: Problems) -> Any:
        """A path, or a tuple of CheckSpec."""
        return (PATH if isinstance(node, Scalar) else self.checks).read(node, problems)

    def schema(self) -> dict[str, Any]:
        """Text or an array."""
        return {"anyOf": [PATH.schema(), self.checks.schema()]}


@dataclass(frozen=True)
class Hiding:
    """Where hidden checks are looked for. `home` is the goal file's folder, `root` that of the work; `file` is the goal
    file, None where the goal came from no file."""

    home: Path
    root: Path
    file: Path | None
    problems_of: Callable[[str, Any], list[str]]

    def bound(self, value: Any, node: Node, problems: Problems) -> tuple[HiddenSpec, ...]:
        """The checks behind the value of `hidden`, whole; what is wrong is noted at `node`. Raises GoalFileError for
        what is wrong in a file of their own."""
        try:
            if isinstance(value, str):
                place = self.home / value
                return self._whole(self._listed(place, value), place.parent)
            if self.file is not None and _inside(self.file, self.root):
                raise ValueError(
                    "the goal file lies inside the repository, so whoever works there can read these checks; put them "
                    "into a file outside: `hidden: ../hidden.yaml`"
                )
            return self._whole(value, self.home)
        except (ValueError, OSError) as error:
            problems.say(node, str(error))
            return ()

    def _listed(self, place: Path, name: str) -> tuple[CheckSpec, ...]:
        if not place.is_file():
            raise ValueError(f"{name}: there is no such file (looked for {place.absolute()})")
        self._outside(place, name)
        data = place.read_bytes()
        if len(data) > MAX_BYTES:
            raise ValueError(f"{name} has {len(data) // 1024} KiB; at most {MAX_BYTES // 1024} KiB are possible")
        problems = Problems(name, data.decode("utf-8"))
        node = compose(data, problems)
        if node is None:
            problems.check()
            raise ValueError(f"{name} is empty; a list of checks is right there, each item behind `- `")
        specs = Many(CheckType(self.problems_of), 1, MAX_CHECKS).read(node, problems)
        problems.check()
        return tuple(specs)

    def _whole(self, specs: tuple[CheckSpec, ...], folder: Path) -> tuple[HiddenSpec, ...]:
        whole, count, size = [], 0, 0
        for spec in specs:
            params, files = self._with_cases(spec, folder), self._brought(spec, folder)
            count, size = count + len(files), size + sum(len(file.data) * 3 // 4 for file in files)
            if count > MAX_FILES or size > MAX_BROUGHT:
                raise ValueError(
                    f"the hidden checks bring {count} files of {size // 1024} KiB along; at most {MAX_FILES} files and "
                    f"{MAX_BROUGHT // 1024} KiB are possible"
                )
            whole.append(HiddenSpec.model_validate({**spec.model_dump(), "params": params, "files": files}))
        return tuple(whole)

    def _with_cases(self, spec: CheckSpec, folder: Path) -> Any:
        """The parameters; cases of `io` that lie beside are read now, and never put into a tree: they hold answers."""
        cases = spec.params.get("cases") if spec.kind == "io" and isinstance(spec.params, dict) else None
        if not isinstance(cases, str) or not (folder / cases).exists():
            return spec.params
        files = self._files(folder, posixpath.normpath(cases))
        params = {**spec.params, "cases": read_cases({name: path.read_bytes() for name, path in files.items()})}
        if found := self.problems_of("io", params):
            raise ValueError(f"{cases}: " + "; ".join(found[:3]))
        return params

    def _brought(self, spec: CheckSpec, folder: Path) -> tuple[Beside, ...]:
        """Whatever the parameters name and that exists beside: a file, or a folder with all that is in it."""
        named = spec.params.get("run") if spec.kind == "io" and isinstance(spec.params, dict) else spec.params
        files: dict[str, Path] = {}
        for name in dict.fromkeys(_paths(named)):
            if os.path.lexists(folder / name):
                files |= self._files(folder, name)
        return tuple(
            Beside(path=name, data=base64.b64encode(path.read_bytes()).decode(), executable=os.access(path, os.X_OK))
            for name, path in sorted(files.items())
        )

    def _files(self, folder: Path, name: str) -> dict[str, Path]:
        top = folder / name
        found = {}
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            inner = path.relative_to(folder).as_posix()
            if set(_SKIPPED) & set(inner.split("/")) or (path.is_dir() and not path.is_symlink()):
                continue
            if path.is_symlink() or not path.is_file():
                raise ValueError(f"the hidden checks name {inner}, which is a link or no plain file")
            self._outside(path, inner)
            found[inner] = path
        if _inside(self.root, top):
            raise ValueError(f"the hidden checks name {name}, a folder that holds the repository")
        return found

    def _outside(self, path: Path, name: str) -> None:
        if _inside(path, self.root):
            raise ValueError(
                f"{name} lies inside the repository ({self.root}), where whoever works there can read it; hidden "
                "checks and their files lie outside of it"
            )


def differs(goal: Goal, problems_of: Callable[[str, Any], list[str]]) -> str:
    """How the hidden checks on disk differ from those that `goal` holds; empty where they are the same. A run goes on
    with the ones that it began with."""
    home = Path(goal.home)
    try:
        if goal.hidden_from:
            root = home / (goal.copy_from or goal.repo or ".")
            hiding = Hiding(home, root.resolve(), None, problems_of)
            place = home / goal.hidden_from
            same = hiding._whole(hiding._listed(place, goal.hidden_from), place.parent) == goal.hidden
        else:
            files = [file for spec in goal.hidden for file in spec.files]
            same = all((home / file.path).read_bytes() == base64.b64decode(file.data) for file in files)
    except (ValueError, OSError, GoalFileError) as error:
        return f"the hidden checks can't be read any more ({error})"
    return "" if same else "the hidden checks on disk are no longer those that the run began with"


def _paths(value: Any) -> Iterator[str]:
    """Each word in `value`, however deep, that may be a path below a folder."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)
    if isinstance(value, str) and "\0" not in value:
        for word in (value, *_BETWEEN.split(value)):
            path = posixpath.normpath(word.partition("::")[0] or ".")
            if path != "." and not path.startswith(("/", "..", "~")) and len(path) < 200:
                yield path


def _inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
