"""Builds the result of a check: what is the same for every kind stands here."""

from __future__ import annotations

from typing import Any

from agentloop.core.check import CheckResult, CheckSpec, Status
from agentloop.core.process import Ran
from agentloop.ports import Bench

EXCERPT = 2_000
"""Characters of output, counted from its end, that stand in a result."""

NOT_RUNNABLE = (126, 127)
"""A shell's exit codes for a command that is not executable, and for one that is not found."""


def answer(
    spec: CheckSpec, bench: Bench, status: Status, reason: str = "", ran: Ran | None = None, **more: Any
) -> CheckResult:
    """The result of `spec` on the bench's tree. `ran` is the process behind it; `more` sets further fields."""
    process: dict[str, Any] = {}
    if ran is not None:
        process = {
            "exit_code": ran.code,
            "signal": ran.signal,
            "timed_out": ran.timed_out,
            "excerpt": excerpt(ran),
            "level": ran.level,
            "seconds": ran.seconds,
        }
    for field in ("ids", "failing", "skipped", "argv"):
        more[field] = tuple(clean(text) for text in more.get(field, ()))
    return CheckResult(
        check=clean(spec.label),
        key=spec.key,
        status=status,
        reason=clean(reason),
        tree=bench.tree.digest,
        base=bench.base.digest,
        environment=bench.python.fingerprint,
        **{**process, **more},
    )


def by_exit(spec: CheckSpec, bench: Bench, argv: tuple[str, ...], ran: Ran, **more: Any) -> CheckResult:
    """What a process' end means where its exit code decides: 0 passed, could not run `error`, else failed."""
    status, reason = exit_status(ran)
    return answer(spec, bench, status, reason, ran, argv=argv, **more)


def exit_status(ran: Ran) -> tuple[Status, str]:
    """The status that a process' end stands for, and its reason."""
    if ran.missing:
        return "error", ran.said
    if ran.code in NOT_RUNNABLE:
        what = "a command was not found" if ran.code == 127 else "a command could not be executed"
        last = ran.stderr.text.strip().splitlines()[-1:]
        return "error", ": ".join([f"{what} ({ran.said})", *last])
    return ("passed", "") if ran.ok else ("failed", ran.said)


def excerpt(ran: Ran) -> str:
    """The end of what the process printed, stdout before stderr."""
    return clean((ran.stdout.text + ran.stderr.text)[-EXCERPT:])


def clean(text: str) -> str:
    """`text` without lone surrogates (from file names that are not UTF-8), which no log record can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def listed(names: Any, limit: int = 3) -> str:
    """The first `limit` names for a reason of one line, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(str(name) for name in names[:limit]) + more
