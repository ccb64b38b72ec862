"""The words of the table, and where each shows: outcomes in exit code and last line, layers in the verdict's reason."""

from __future__ import annotations

import re

CODES: dict[str, tuple[int, ...]] = {
    "SUCCESS": (0,),
    "REFUSED": (2,),
    "FAIL": (10, 11, 12),
    "TAMPER": (13,),
    "NOSANDBOX": (15,),
}
"""Outcome → the exit codes that a run may end with."""

LAST_LINE = {
    "SUCCESS": re.compile(r"agentloop/|/.*\.diff"),
    "REFUSED": re.compile(r"(refused|already_satisfied): |  "),
    "FAIL": re.compile(r"(BudgetExhausted|NoViablePlan|NoProgress): "),
    "TAMPER": re.compile(r"tampered: "),
    "NOSANDBOX": re.compile(r"no sandbox: |  "),
}
"""Outcome → how the last line begins; a refusal's remedy is indented."""

LAYERS = {
    "protected file": re.compile(r"protected \("),
    "outside `allow`": re.compile(r"outside `allow`"),
    "kind of file": re.compile(r"not a plain file|a name that git uses|nearly the same name"),
    "expected ids": re.compile(r"expected tests: |\d failing: |no test was"),
    "no sealed report": re.compile(r"without a report"),
    "planted test": re.compile(r"a planted test that must fail has passed"),
    "twin": re.compile(r"passes with a wrong expected value too"),
    "static screen": re.compile(r"`suspect: fail`"),
    "tree hashed again": re.compile(r"while it ran, .* was changed"),
    "new test must be red without the change": re.compile(r"it shows no fault"),
    "preflight on base": re.compile(r"can't fail|already_satisfied|guards nothing|no such file|not found"),
    "process tree ended": re.compile(r"expected tests: "),
    "exit code of each stage": re.compile(r"exit code 1"),
    "too much to keep": re.compile(r"sums: 2 failing: "),
    "tools and desk": re.compile(r"expected tests: "),
    "sandbox": re.compile(r""),
    "probe of the sandbox": re.compile(r"no acceptable sandbox"),
    "git without the user's configuration": re.compile(r""),
    "start state": re.compile(r"no commit|bare|merge|submodule|uncommitted|--dirty"),
    "goal file reader": re.compile(r"goal\.yaml:"),
    "plan rules": re.compile(r""),
    "hidden or outside check": re.compile(r""),
    "none": re.compile(r""),
}
"""What stopped it → what the verdict (or the refusal) then says."""
