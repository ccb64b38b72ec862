"""The first gate: what a change touches, before any check runs on it. Pure: a change in, a ruling out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agentloop.core.check import Status
from agentloop.core.globs import matcher
from agentloop.core.protect import NEW_TESTS, folded_name, git_like, rule_for
from agentloop.core.tree import EXECUTABLE, FILE, Change, Entry, Tree

OPEN_TO_NEW_TESTS = ("tests and their fixtures", "named by a check")
"""Rules that let a new test file through: a check that names a folder does not forbid new tests in it."""

MAX_FILE = 8 * 1024 * 1024
"""Bytes of the largest file that a change may write."""


@dataclass(frozen=True)
class Fence:
    """What a change may touch: globs to allow, to protect and to unlock, and files named by checks."""

    allow: tuple[str, ...]
    protect: tuple[str, ...] = ()
    unlock: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class Screened:
    """`passed`, or `failed` or `tamper` with the path and the rule."""

    status: Status
    reason: str = ""


def screen(base: Tree, change: Change, fence: Fence) -> Screened:
    """Judge the paths and modes of `change`; `base` is what the run started from. The worst finding counts."""
    findings = [found for path, (_, new) in change.items() if (found := _one(base, path, new, fence))]
    findings += _collisions(base, change)
    for status in ("tamper", "failed"):
        if worst := next((found for found in findings if found.status == status), None):
            return worst
    return Screened("passed")


def _one(base: Tree, path: str, new: Entry | None, fence: Fence) -> Screened | None:
    if git_like(path):
        return Screened("tamper", f"{path!r}: a name that git uses for itself")
    if new is not None and new.mode not in (FILE, EXECUTABLE):
        return Screened("tamper", f"{path!r}: not a plain file (mode {new.mode:o}): links and devices are refused")
    if not matcher(fence.unlock)(path) and (rule := rule_for(path, fence.protect, fence.named)):
        fresh_test = path not in base and NEW_TESTS(path) and rule in OPEN_TO_NEW_TESTS
        if not (fresh_test and matcher(fence.allow)(path)):
            return Screened("tamper", f"{path!r}: protected ({rule})")
    if not matcher(fence.allow)(path):
        return Screened("failed", f"{path!r}: outside `allow`")
    if new is not None and new.size > MAX_FILE:
        return Screened("failed", f"{path!r}: {new.size} bytes, at most {MAX_FILE} are allowed")
    return None


def allowed(path: str, fence: Fence, known: bool) -> str | None:
    """Why a worker should not write `path`, told before it does; None where the gate would let it through.

    `known` says whether base has the file: new test files may be written, old ones not.
    """
    if git_like(path):
        return f"{path!r} has a name that git uses for itself"
    rule = None if matcher(fence.unlock)(path) else rule_for(path, fence.protect, fence.named)
    if rule and not (not known and rule in OPEN_TO_NEW_TESTS and NEW_TESTS(path)):
        return f"{path!r} is protected ({rule})"
    if not matcher(fence.allow)(path):
        return f"{path!r} is outside the files that may change: {', '.join(fence.allow)}"
    return None


def outside(glob: str, fence: Fence, base: Iterable[str]) -> str | None:
    """Why a task can't be planned to write `glob`: None where a file that it means, or would, may change."""
    if not any(sign in glob for sign in "*?["):
        known = set(base)
        named = [path for path in known if path.startswith(glob.rstrip("/") + "/")]
        if not named:
            why = allowed(glob, fence, glob in known)
            return why if glob in known or allowed(f"{glob.rstrip('/')}/x", fence, known=False) else None
    sample = re.sub(r"\[[^\]]*\]|\*+|\?", "x", glob).strip("/")
    match = matcher((glob,))
    meant = [path for path in base if match(path)]
    if any(allowed(path, fence, known=True) is None for path in meant):
        return None
    if matcher(fence.allow)(sample) or matcher(fence.allow)(f"{sample}/x"):
        return None
    return f"{glob!r} is outside the files that may change: {', '.join(fence.allow)}"


def _collisions(base: Tree, change: Change) -> list[Screened]:
    """New names that some file systems can't tell from another file's."""
    after = base.patched(change)
    counts = Counter(map(folded_name, after))
    new = [path for path, (old, entry) in change.items() if old is None and entry is not None]
    return [
        Screened("tamper", f"{p!r}: another file has nearly the same name") for p in new if counts[folded_name(p)] > 1
    ]
