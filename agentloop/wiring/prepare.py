"""Preflight and evidence: what a new run establishes before any model is asked."""

from __future__ import annotations

from pathlib import Path

from agentloop.core import events as e
from agentloop.core.digest import canonical, fingerprint
from agentloop.core.goal import Evidence
from agentloop.core.task import Fact
from agentloop.errors import AlreadySatisfied, Refused
from agentloop.roles.preflight import Row, examine, seconds
from agentloop.wiring.session import Session

EVIDENCE_BYTES, EVIDENCE_SHOWN = 256 * 1024, 4_000
RUN_TIMEOUT = 60.0


def prepare(session: Session) -> tuple[Row, ...]:
    """Take the goal's checks on base and record which are usable, then the evidence as facts.

    Raises Refused with every unusable check, and AlreadySatisfied where no accept check is red.
    """
    rows = examine(session.goal, session.verifier, session.state.base)
    for row in rows:
        session.options.say(describe(row))
    if refused := [row for row in rows if row.refused]:
        lines = "\n".join(f"check {row.usable.check!r} can't be used: {row.refused}" for row in refused)
        raise Refused(lines, "correct the goal file; `agentloop check` shows what each check says, with no model")
    if not any(row.usable.role == "accept" for row in rows):
        raise AlreadySatisfied("already_satisfied: every accept check passes on base", "there is nothing to do")
    for row in rows:
        session.verifier.remember(row.result)
    expected = {row.usable.key: dict(row.expected) for row in rows if row.expected is not None}
    blob = session.log.put(canonical(expected))
    session.state.record(e.Prepared(checks=tuple(row.usable for row in rows), expected=blob))
    session.options.say(f"one whole verification takes about {seconds(rows):.1f} s")
    for number, item in enumerate(session.goal.evidence, 1):
        session.state.record(e.Noted(fact=_fact(session, number, item)))
    if session.goal.hint:
        session.state.record(e.Noted(fact=hint(session.secrets.text(session.goal.hint))))
    return rows


def hint(text: str, tick: int = 0) -> Fact:
    """A person's hint as a fact: claimed, kept in every prompt; it takes back that a program it names can't be run."""
    key = fingerprint(["hint", text])
    return Fact(key=key, text=text, measured=False, trigger="hint", source="a person", tick=tick)


def describe(row: Row) -> str:
    """A check as preflight found it, on one line."""
    verdict = f"can't be used: {row.refused}" if row.refused else row.note
    return f"{row.usable.role:<7} {row.usable.check}: {verdict} ({row.result.seconds:.1f} s)"


def _fact(session: Session, number: int, item: Evidence) -> Fact:
    """Evidence as a fact: what the user says is claimed, what a file or command holds is measured."""
    if item.text is not None:
        text, source, measured = item.text, "the goal", False
    elif item.file is not None:
        text, source, measured = _read(session, item.file), item.file, True
    else:
        text, source, measured = _run(session, item.run or ""), f"`{item.run}` on base", True
    text = session.secrets.text(text)
    blob = session.log.put(text.encode("utf-8", "replace"))
    shown = text if len(text) <= EVIDENCE_SHOWN else text[:EVIDENCE_SHOWN] + "…"
    key = fingerprint(["evidence", number, blob])
    return Fact(key=key, text=shown[:600], measured=measured, trigger="evidence", source=source[:200], blob=blob)


def _read(session: Session, name: str) -> str:
    path = Path(session.goal.home) / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"evidence: file: {name}: {error.strerror}", f"looked for {path}") from error
    return data[:EVIDENCE_BYTES].decode("utf-8", "replace")


def _run(session: Session, command: str) -> str:
    with session.verifier.bench(session.state.base, None, None) as bench:
        ran = bench.launch(("bash", "-euo", "pipefail", "-c", command), RUN_TIMEOUT, {})
    if not ran.ok:
        said = session.secrets.text(ran.stderr.text or ran.stdout.text)
        raise Refused(f"evidence: run: {command}: {ran.said}", said[-500:])
    return ran.stdout.text
