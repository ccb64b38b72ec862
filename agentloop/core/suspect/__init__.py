"""The static screen: what in the added lines of a change looks like a trick. A change in, suspicions out; pure.

It reads text and can be got round by whoever knows it, so it is a hint beside the canary, the twin and the checks
that run out of process, and never takes their place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from agentloop.core.globs import matcher
from agentloop.core.protect import PROTECTED
from agentloop.core.suspect.added import added_lines
from agentloop.core.suspect.answers import TWO_SIDED, answers_always, poses
from agentloop.core.suspect.endings import at_exit, ends_process, exits_at_import, skips
from agentloop.core.suspect.literals import Pair, copied
from agentloop.core.suspect.page import Page
from agentloop.core.suspect.reaching import builds_code, inspects, reaches_memory, reads_tests, sniffs, writes_outside
from agentloop.core.suspect.runner import imports_framework, patches, touches_runner
from agentloop.core.suspect.tokens import LANGUAGES, ending, line_rules
from agentloop.core.suspicion import MOST, Edit, Suspicion

Rule = Callable[[ast.AST, Page], bool]

RULES: dict[str, tuple[Rule, ...]] = {
    "ends the process": (ends_process, at_exit, exits_at_import),
    "skips tests": (skips,),
    "imports a test framework": (imports_framework,),
    "touches the test runner": (touches_runner,),
    "patches what is not its own": (patches,),
    "inspects frames": (inspects,),
    "reaches into memory": (reaches_memory,),
    "answers whatever it is asked": (answers_always, poses),
    "reaches outside the tree": (writes_outside,),
    "reads test files": (reads_tests,),
    "looks at the environment": (sniffs,),
    "builds code": (builds_code,),
}
"""Rule, as people read it → the functions that find it in a syntax tree."""

COPIED = "copies answers from tests"
UNREAD = "too large to be looked at"
MEANINGS = {
    "ends the process": "`os._exit`, `os.abort`, `os.exec…`, a signal to itself, `atexit` with an exit, "
    "`sys.exit` at import",
    "skips tests": "`SkipTest` or `__test__` in code that is no test",
    "imports a test framework": "pytest, unittest or nose imported by code that is no test",
    "touches the test runner": "`_pytest`, `TestReport`, a hook of pytest, or the word pytest as a value to look for",
    "patches what is not its own": "an attribute of a standard module, of `builtins` or of `sys.modules`, or a "
    "`__code__`, is set",
    "inspects frames": "frames of callers, tracing, or all objects of the process",
    "reaches into memory": "`ctypes`, `marshal`, `cffi`",
    "answers whatever it is asked": "a comparison that never looks at the other side, a number or text with its own "
    "equality",
    "reaches outside the tree": "site-packages, `.pth`, sitecustomize, `/proc/self`",
    "reads test files": "the path of a test file as a value",
    "looks at the environment": "`CI` and its like, or agentloop's own variables",
    "builds code": "`exec`, `eval`, `compile` or `__import__` of what is no literal",
    COPIED: "literal arguments paired with the literal that a test expects for them (a table, a chain of ifs)",
    UNREAD: "a source file of more than 1 MB",
}
"""Rule → what it looks for, for the docs."""

LARGEST = 1_000_000
"""Characters of a file that is still looked at."""

IN_TESTS = (
    "ends the process",
    "touches the test runner",
    "patches what is not its own",
    "answers whatever it is asked",
)
"""What is looked for in new test files too: pytest loads them beside the others."""

_TESTS = matcher(PROTECTED["tests and their fixtures"])


def suspicions(edits: Iterable[Edit], pairs: frozenset[Pair] = frozenset()) -> tuple[Suspicion, ...]:
    """What is suspect in the added lines of `edits`. `pairs` are what the tests expect of which literal arguments.

    A line that some edit takes away under the same rule is taken as moved, and is no suspicion.
    """
    edits = list(edits)
    moved = Counter(
        (found.rule, found.text) for edit in edits for found in _in(Edit(edit.path, edit.after, edit.before), pairs)
    )
    kept = []
    for edit in edits:
        for found in _in(edit, pairs):
            if moved[found.rule, found.text]:
                moved[found.rule, found.text] -= 1
            else:
                kept.append(found)
    return tuple(kept[:MOST])


def _in(edit: Edit, pairs: frozenset[Pair]) -> Iterator[Suspicion]:
    if ending(edit.path) not in LANGUAGES or edit.before == edit.after:
        return
    if len(edit.after) > LARGEST:
        yield Suspicion(path=edit.path, line=1, rule=UNREAD, text=f"{len(edit.after)} characters")
        return
    added = added_lines(edit.before, edit.after)
    lines = edit.after.split("\n")
    for line, rule in sorted(set(_found(edit, lines, added, pairs))):
        yield Suspicion(path=edit.path, line=line, rule=rule, text=lines[line - 1].strip())


def _found(edit: Edit, lines: list[str], added: frozenset[int], pairs: frozenset[Pair]) -> Iterator[tuple[int, str]]:
    page, is_test = Page(edit.path, edit.after), _TESTS(edit.path)
    if ending(edit.path) not in ("py", "pyw", "pyi") or page.tree is None:
        for line in sorted(added):
            yield from ((line, rule) for rule in line_rules(edit.path, lines[line - 1]))
        return
    for node in page.nodes:
        at = _line(node, added)
        if at is not None:
            for rule, finders in RULES.items():
                if (not is_test or rule in IN_TESTS) and any(found(node, page) for found in finders):
                    yield at, rule
    if not is_test:
        yield from ((line, COPIED) for line in copied(page, added, pairs))


def _line(node: ast.AST, added: frozenset[int]) -> int | None:
    """The first added line of `node`; None where it has none. Of a block only its head counts, but of a comparison
    the whole: there the body is what tells."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
    if first in added:
        return first
    if isinstance(node, ast.stmt) and not (isinstance(node, ast.FunctionDef) and node.name in TWO_SIDED):
        return None
    return next((line for line in range(first, last + 1) if line in added), None) if first else None
