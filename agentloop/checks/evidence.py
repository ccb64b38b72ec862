"""The kind `evidence`: each finding cites a command and what it printed; code runs it again."""

from __future__ import annotations

import re
import shlex
from typing import Any

from agentloop.checks.answer import answer, clean, listed
from agentloop.checks.bounded import Unbounded, bounded
from agentloop.checks.parameters import key_problems, pattern_problems
from agentloop.checks.quoted import found_in, lines_of, quoted_lines
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.process import Ran
from agentloop.core.task import Finding
from agentloop.core.tree import Tree
from agentloop.ports import Bench

MOST = 20
"""Findings of one artifact that are looked at; more are refused, as each is run twice."""

_SHELL = re.compile(r"\|\|?|&&?|;|[0-9]*>>?(?:&[0-9]|/\S+)?|<<?|\$\(.*|`.*")


class NotShown(Exception):
    """A finding that its command does not bear out; the message says why."""


class Evidence:
    """``evidence: N`` or ``{min: N, pattern: REGEX}``: at least N findings (1), each shown by a command run again.

    Each finding cites one command (no shell; one that a worker may start) and quotes lines that it printed. Code runs
    the command on the tree under test: the quoted lines must be there, in order, apart from times, addresses and
    folders. In an empty folder they must not be: a command that prints the same there shows nothing about the tree.
    `pattern` must match in one of the lines that were found. What was found so is a measured fact.
    """

    kind = "evidence"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the parameters."""
        if params in (None, "", {}):
            return []
        found = key_problems(params, ("min", "pattern")) if isinstance(params, dict) else []
        least = _least(params)
        if not isinstance(least, int) or isinstance(least, bool) or not 1 <= least <= MOST:
            found.append(f"the number of findings must be a whole number from 1 to {MOST}; found {least!r}")
        if isinstance(params, dict) and "pattern" in params:
            pattern = params["pattern"]
            found += pattern_problems("pattern", pattern)
            if not found and re.search(pattern, ""):
                found.append(f"pattern {pattern!r} matches even the empty text, so it says nothing")
        return found

    def files(self, params: Any) -> list[str]:
        """None: the commands are the findings' own."""
        return []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run each cited command on the tree and in an empty folder, within the check's timeout in all."""
        if bench.findings is None:
            return answer(spec, bench, "error", "there are no findings here: only a task's acceptance can ask for them")
        least = int(_least(spec.params))
        if not least <= len(bench.findings) <= MOST:
            count = f"{len(bench.findings)} findings; wanted {least} to {MOST}"
            return answer(spec, bench, "failed", f"{count}, each with a command and what it printed")
        clock = Clock(spec.timeout)
        seen: list[tuple[str, list[str]]] = []
        wrong: dict[str, str] = {}
        for number, finding in enumerate(bench.findings, 1):
            try:
                seen.append((finding.command, shown(finding, bench, clock)))
            except NotShown as why:
                wrong[f"finding {number}: {finding.command or finding.text[:60]}"] = str(why)
        reason = listed([f"{name}: {why}" for name, why in wrong.items()])
        try:
            reason = reason or _unmatched(spec, [line for _, lines in seen for line in lines])
        except Unbounded as none:
            reason = f"pattern: {none.reason}"
        facts = tuple(clean(f"`{command}` prints:\n" + "\n".join(lines)) for command, lines in seen)
        result = answer(
            spec, bench, "failed" if reason else "passed", reason, ids=[name for name, _ in seen], failing=list(wrong)
        )
        return result.model_copy(update={"seen": facts, "seconds": clock.used, "level": bench.level})


class Clock:
    """How much of a check's time is left for the commands, in seconds."""

    def __init__(self, limit: float) -> None:
        self.limit, self.used = limit, 0.0

    def launch(self, bench: Bench, argv: tuple[str, ...]) -> Ran:
        """Run `argv` on a fresh bench within what is left. Raises NotShown where nothing is."""
        if self.used >= self.limit:
            raise NotShown(f"the check's {self.limit:g} s were over before it was run")
        ran = bench.launch(argv, self.limit - self.used, {})
        self.used += ran.seconds
        return ran


def shown(finding: Finding, bench: Bench, clock: Clock) -> list[str]:
    """The lines that bear `finding` out, as they were printed here and now. Raises NotShown where they don't."""
    argv, quoted = _argv(finding, bench), quoted_lines(finding.output)
    if not quoted:
        raise NotShown("it quotes nothing that the command printed")
    with bench.again(bench.tree) as fresh:
        ran = clock.launch(fresh, argv)
        if ran.missing or ran.timed_out:
            raise NotShown(ran.said)
        if path := fresh.disturbed():
            raise NotShown(f"the command changed {path!r}; evidence only looks")
    printed = lines_of(ran)
    lines, missing = found_in(quoted, printed)
    if missing:
        last = f"; the last line is {printed[-1][:100]!r}" if printed else "; it prints nothing"
        raise NotShown(f"run again ({ran.said}) it does not print {missing[:100]!r}{last}")
    with bench.again(Tree()) as empty:
        if not found_in(quoted, lines_of(clock.launch(empty, argv)))[1]:
            raise NotShown("it prints the same in an empty folder, so it shows nothing about the files")
    return lines


def _argv(finding: Finding, bench: Bench) -> tuple[str, ...]:
    """The argument list of the cited command. Raises NotShown for what may not be run."""
    if not finding.command.strip():
        raise NotShown("it cites no command")
    try:
        argv = tuple(shlex.split(finding.command))
    except ValueError as error:
        raise NotShown(f"its command can't be read: {error}") from None
    if words := [word for word in argv if _SHELL.fullmatch(word)]:
        raise NotShown(f"there is no shell, so {', '.join(map(repr, words))} can't be run; cite one plain command")
    if why := bench.refusal(argv):
        raise NotShown(why)
    return argv


def _least(params: Any) -> Any:
    """How many findings are wanted; planners write numbers as text."""
    least = params.get("min", 1) if isinstance(params, dict) else 1 if params in (None, "") else params
    return int(least) if isinstance(least, str) and re.fullmatch(r"[0-9]{1,3}", least) else least


def _unmatched(spec: CheckSpec, lines: list[str]) -> str:
    """Why `pattern` is not met; empty where it is or none is asked for."""
    pattern = spec.params.get("pattern") if isinstance(spec.params, dict) else None
    if pattern is None or bounded("count", "\n".join(lines).encode(), spec.timeout, pattern=pattern)["count"]:
        return ""
    return f"no quoted line matches {pattern!r}"
