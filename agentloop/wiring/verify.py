"""Whether a finished run's claim is true: derived again from its log and blobs, trusting nothing it left for people.

Each audit returns lines of ``ok …`` and ``NO …``; one NO is the answer no.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agentloop.checks import KINDS
from agentloop.core.ends import SATISFIED
from agentloop.core.goal import Goal
from agentloop.core.records import Usable
from agentloop.core.screen import screen
from agentloop.core.tree import difference
from agentloop.errors import LogDamaged
from agentloop.host.log import FileLog
from agentloop.roles.contract import fence_of
from agentloop.state import State
from agentloop.wiring import left
from agentloop.wiring.left import Found
from agentloop.wiring.options import Options, now
from agentloop.wiring.session import reopen


def audit(folder: Path, options: Options, *, log_only: bool = False, rerun: bool = False) -> Iterator[Found]:
    """All audits that are asked for; damage of the log or its blobs is an answer like the others, and ends them."""
    try:
        yield from audit_log(folder)
        if not log_only:
            yield from audit_claim(folder)
        if rerun and not log_only:
            yield from audit_again(folder, options)
    except LogDamaged as error:
        yield Found(False, f"log: {error}")
    except (LookupError, ValueError) as error:
        # Records that hash as they should, but do not follow from each other: no run of ours wrote them.
        yield Found(False, f"log: its records do not fit each other ({type(error).__name__}: {error})")


def audit_log(folder: Path) -> Iterator[Found]:
    """Whether every record hashes to the next, and none is missing at the end. Raises LogDamaged for damage."""
    log = FileLog.read_only(folder)
    yield Found(True, f"log: {len(log)} records, each bound to the one before; head {log.head}")
    kept = left.said(folder)
    if "head" in kept:
        try:
            log.verify_head(str(kept["head"]))
        except LogDamaged as error:
            yield Found(False, f"log: {error.what}")
        else:
            yield Found(True, "log: it holds the head that result.json names")


def audit_claim(folder: Path) -> Iterator[Found]:
    """Whether the log shows what success claims: each accepted change judged on the tree before it, the whole change
    within the goal's fence, each check passed on the final tree, and what was left saying the same."""
    log = FileLog.read_only(folder)
    state = State(log, now)
    ended = state.folded.ended
    satisfied = ended is not None and ended.end == SATISFIED.name
    yield Found(satisfied, f"end: {ended.end if ended else 'unfinished'}")
    goal = Goal.model_validate_json(log.get(state.began.goal_blob))
    yield Found(goal.digest == state.began.goal_digest, "goal: the contract on record is the one that was begun")
    yield from _chain(state)
    yield from _contents(log, state)
    screened = screen(state.base, difference(state.base, state.candidate), fence_of(goal, KINDS))
    yield Found(screened.status == "passed", f"change: within `allow`, nothing protected {screened.reason}".rstrip())
    needed = [check for check in state.folded.usable if check.role != "unused"]
    yield Found(any(check.role == "accept" for check in needed), "checks: at least one decides")
    for check in needed:
        yield _check(state, check)
    yield Found(
        state.folded.candidate in state.folded.confirmed,
        "checks: all were taken again on the final tree before success",
    )
    yield from left.files(folder, log, state)
    yield from left.branch(folder, goal, log, state)


def _chain(state: State) -> Iterator[Found]:
    tree = state.began.base_tree
    for event in state.folded.accepted:
        verdict = state.verdict(event)
        good = event.ruling.before == tree and verdict.passed and verdict.status == event.ruling.status
        judged = all(result.passed for result in verdict.results) and bool(verdict.results)
        yield Found(good and judged, f"task {event.task}: its verdict passed, on the tree that was there before it")
        tree = event.ruling.tree
    yield Found(tree == state.folded.candidate, "tree: base and the accepted changes give the final tree")


def _contents(log: FileLog, state: State) -> Iterator[Found]:
    """Every blob is read, and so compared with its name."""
    bad: list[str] = []
    for path, (_, new) in difference(state.base, state.candidate).items():
        try:
            if new is not None:
                log.get(new.blob)
        except LogDamaged as error:
            bad.append(f"{path} ({error.what})")
    yield Found(
        not bad, "tree: the content of each changed file is what its hash says" + "".join(f": {b}" for b in bad)
    )


def _check(state: State, check: Usable) -> Found:
    result = state.result(check)
    if result is None:
        return Found(False, f"{check.role} {check.check}: never taken on the final tree")
    bound = result.tree == state.folded.candidate and result.key == check.key and result.base == state.began.base_tree
    detail = f"{result.status}, {len(result.ids)} ids, strength {result.strength}, sandbox {result.level}"
    return Found(bound and result.passed, f"{check.role} {check.check}: {detail}" + ("" if bound else "; another tree"))


def audit_again(folder: Path, options: Options) -> Iterator[Found]:
    """Take the goal's checks on the final tree once more, here and now, in a copy of the run. Raises Refused where
    the repository is gone, and NoSandbox."""
    with tempfile.TemporaryDirectory(prefix="agentloop-verify-") as spare:
        copy = Path(spare) / folder.name
        shutil.copytree(folder, copy)
        session = reopen(copy, options)
        try:
            state = session.state
            checked = session.verifier.verify_goal(state, fresh=True)
            outcomes = {outcome.key: outcome for outcome in checked.outcomes}
            for check in [check for check in state.folded.usable if check.role != "unused"]:
                if check.key not in outcomes:
                    yield Found(False, f"again: {check.role} {check.check}: not taken, as another one failed")
                    continue
                result = state.detail(outcomes[check.key])
                why = f": {result.reason}" if result.reason else ""
                yield Found(result.passed, f"again: {check.role} {check.check}: {result.status}{why}")
        finally:
            session.close()
