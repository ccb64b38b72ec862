"""What `schema` and `contains` look at: a file of the tree, or the findings of an artifact."""

from __future__ import annotations

from typing import Any

from agentloop.checks.parameters import normal, path_problems
from agentloop.core.tree import LINK
from agentloop.ports import Bench


class NoSubject(Exception):
    """There is nothing to look at. `failed` tells an absent file from a check that is out of place."""

    def __init__(self, reason: str, *, failed: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.failed = failed


def subject_problems(params: dict[str, Any], ways: tuple[str, ...]) -> list[str]:
    """Whether exactly one of `ways` (file, artifact, …) is given, and well."""
    given = [way for way in ways if way in params]
    if len(given) != 1:
        return [f"exactly one of {', '.join(ways)} is wanted; found {', '.join(given) or 'none'}"]
    if given == ["file"]:
        return path_problems("file", params["file"])
    if given == ["artifact"] and params["artifact"] != "findings":
        return [f"artifact must be 'findings'; found {params['artifact']!r}"]
    return []


def findings_of(bench: Bench) -> list[dict[str, str]]:
    """The artifact's findings. Raises NoSubject where no artifact is being judged."""
    if bench.findings is None:
        raise NoSubject("there is no artifact here: only a task's acceptance can look at findings", failed=False)
    return [finding.model_dump() for finding in bench.findings]


def file_of(bench: Bench, path: str) -> bytes:
    """A file's bytes as they stand in the tree. Raises NoSubject where it is absent or a link."""
    path = normal(path)
    if path not in bench.tree:
        raise NoSubject(f"no such file: {path}", failed=True)
    if bench.tree[path].mode == LINK:
        raise NoSubject(f"{path} is a link; a plain file is wanted", failed=True)
    return bench.read(bench.tree, path)
