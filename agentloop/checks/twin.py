"""Runs the twin of tests that passed: where one passes again, equality or the test runner is not what it was."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Iterable

from agentloop.checks.answer import listed
from agentloop.checks.expected_ids import BAD, GOOD
from agentloop.checks.pytest_run import run_pytest
from agentloop.checks.twin_text import Name, twin_of
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.tree import LINK
from agentloop.ports import Bench

ROUNDS = 3
"""Comparisons of one test that are changed in turn; of more, some are drawn."""


def with_twin(spec: CheckSpec, bench: Bench, result: CheckResult, rng: random.Random | None = None) -> CheckResult:
    """`result`, which passed, as its twin leaves it: `tamper` where a test that had to fail passed.

    A twin that came to no end shows nothing: then the verdict is no stronger than an exit code.
    """
    rng = rng or random.SystemRandom()
    failed: set[str] = set()
    number, rounds, seconds = 0, 1, result.seconds
    while number < min(rounds, ROUNDS):
        chosen = number if rounds <= ROUNDS else rng.randrange(rounds)
        rounds, wanted, texts = _made(bench, result.ids, chosen, rng)
        if not wanted:
            break
        outcomes, took = _taken(spec, bench, sorted(wanted), texts)
        seconds += took
        if outcomes is None:
            reason = "passed, but its twin (the same tests with other expected values) came to no end"
            return result.model_copy(update={"strength": "exit-code", "reason": reason, "seconds": seconds})
        if passed := sorted(test for test in wanted if outcomes.get(test) in GOOD):
            reason = f"passes with a wrong expected value too: {listed(passed)}; equality or the runner is disarmed"
            return result.model_copy(update={"status": "tamper", "reason": reason, "seconds": seconds})
        failed.update(test for test in wanted if outcomes.get(test) in BAD)
        number += 1
    return result.model_copy(update={"twins": len(failed), "seconds": seconds})


def _made(bench: Bench, ids: Iterable[str], number: int, rng: random.Random) -> tuple[int, set[str], dict[str, str]]:
    """The number of rounds, the test ids that must fail, and the twin of each test file by path."""
    by_file: dict[str, dict[Name, list[str]]] = defaultdict(lambda: defaultdict(list))
    for test in ids:
        path, *names = test.split("[")[0].split("::")
        if names and path.endswith(".py") and path in bench.tree and bench.tree[path].mode != LINK:
            by_file[path][tuple(names)].append(test)
    rounds, wanted, texts = 1, set(), {}
    for path, names_there in by_file.items():
        twin = twin_of(bench.read(bench.tree, path).decode("utf-8", "replace"), names_there, number, rng)
        if twin.names:
            texts[path] = twin.text
            rounds = max(rounds, twin.rounds)
            wanted |= {test for name in twin.names for test in names_there[name]}
    return rounds, wanted, texts


def _taken(
    spec: CheckSpec, bench: Bench, wanted: list[str], texts: dict[str, str]
) -> tuple[dict[str, str] | None, float]:
    """What became of each test of the twin, None where the run left no report; and the seconds it took."""
    with bench.again(bench.tree) as fresh:
        for path, text in texts.items():
            with open(os.path.join(fresh.folder, path), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        run = run_pytest(fresh, sorted(texts), wanted, [], spec.timeout)
    if run.report is None or not run.report.started:
        return None, run.ran.seconds
    if run.report.canary in GOOD:
        return dict.fromkeys(wanted, run.report.canary), run.ran.seconds
    return dict(run.report.seen.outcomes), run.ran.seconds
