"""Whether a command that starts a test runner would notice a failing test: its tests are made to fail, in a copy.

A bare exit code can't tell "all tests passed" from "no test was run": `unittest discover` (up to Python 3.11),
`node --test`, `go test` and `cargo test` exit 0 where they find nothing, and a command line can swallow a failure in
more ways than can be listed. So every test of the runner's language is spoiled, and the command must turn red.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from agentloop.core.tree import LINK
from agentloop.ports import Bench

_PYTHON = b"""

def _agentloop_planted():
    import functools, types, unittest

    def red(test):
        @functools.wraps(test)
        def planted(*args, **kwargs):
            raise AssertionError("planted by agentloop: this test must fail")
        return planted

    def spoil(holder, names):
        for name in names:
            held = holder.get(name) if isinstance(holder, dict) else holder.__dict__.get(name)
            if name.startswith("test") and isinstance(held, types.FunctionType):
                if isinstance(holder, dict):
                    holder[name] = red(held)
                else:
                    setattr(holder, name, red(held))

    spoil(globals(), list(globals()))
    for held in list(globals().values()):
        if isinstance(held, type) and (held.__name__.startswith("Test") or issubclass(held, unittest.TestCase)):
            for kind in held.__mro__:
                if kind.__module__ not in ("builtins", "unittest.case"):
                    spoil(kind, list(vars(kind)))


_agentloop_planted()
"""

_GO = re.compile(rb"(func\s+Test\w*\s*\(\s*(\w+)\s+\*testing\.T\s*\)\s*\{)")
_RUST = re.compile(
    rb"(#\[(?:\w+::)*test\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+\w+\s*\([^)]*\)[^{;]*\{)"
)
_RED = b"planted by agentloop: this test must fail"

_START = (
    r"(?:^|[;&|({]\s*|\b(?:if|then|do|else|while|until|run|exec|time|env|command|npx|timeout\s+\S+)\s+|!\s+|-m\s+"
    r"|\b\w+=\S*\s+)(?:[^\s=]*/)?"
)
"""What stands before the name of a program that a shell starts, roughly."""

_TEST_NAME = re.compile(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|[/._-])(?:test|spec)s?(?=[._-]|$)", re.IGNORECASE)


def _words(*programs: str) -> re.Pattern[str]:
    return re.compile(rf"{_START}(?:{'|'.join(programs)})(?=$|[\s;&|)}}])", re.MULTILINE)


@dataclass(frozen=True)
class Runner:
    """A test runner: the words that start it, its test files, what a file with a test holds, and how its tests are
    made to fail. `named`: by the whole file, so that only files which are named as tests may be touched."""

    name: str
    words: re.Pattern[str]
    file: re.Pattern[str]
    holds: re.Pattern[bytes]
    spoil: Callable[[bytes], bytes]
    named: bool = False


RUNNERS = (
    Runner("Python's tests", _words(r"py\.?test", r"unittest"), re.compile(r"\.py$"),
           re.compile(rb"\bdef test|\bTestCase\b"), lambda data: data + _PYTHON),
    Runner("node's tests", _words(r"node(?:\s[^|;&\n]*)?\s--test", r"jest", r"vitest", r"mocha"),
           re.compile(r"\.[cm]?[jt]sx?$"), re.compile(rb"\b(?:test|it|describe|assert\w*)\b"),
           lambda data: b'throw new Error("' + _RED + b'");\n', named=True),
    Runner("Go's tests", _words(r"go\s+test", "gotestsum"), re.compile(r"_test\.go$"), _GO,
           lambda data: _GO.sub(rb'\1 \2.Fatal("' + _RED + rb'");', data)),
    Runner("Rust's tests", _words(r"cargo\s+(?:\S+\s+)?(?:test|nextest)"), re.compile(r"\.rs$"), _RUST,
           lambda data: _RUST.sub(rb'\1 panic!("' + _RED + rb'");', data)),
)  # fmt: skip


def cant_fail(text: str, bench: Bench, red: Callable[[Bench], bool]) -> str:
    """Why the command `text`, green on the bench's tree, can't turn red for a failing test; empty where it does, or
    where it starts no known runner. `red` takes the command on a bench."""
    runners = [runner for runner in RUNNERS if runner.words.search(text)]
    if not runners:
        return ""
    with bench.again(bench.tree) as copy:
        spoiled = sum(_spoil(runner, copy, text) for runner in runners)
        names = " and ".join(runner.name for runner in runners)
        if not spoiled:
            return f"it can't fail: there are none of {names} in the tree, so it runs nothing"
        if red(copy):
            return ""
    return f"it can't fail: it passes also where all of {names} ({spoiled} files) are made to fail"


def _spoil(runner: Runner, copy: Bench, text: str) -> int:
    """Make the tests of `runner` fail in the copy's folder; in how many files."""
    count = 0
    for path, entry in copy.tree.items():
        if entry.mode == LINK or not runner.file.search(path):
            continue
        if runner.named and not _TEST_NAME.search(path) and path not in text:
            continue  # a source file that is broken would turn anything red
        data = copy.read(copy.tree, path)
        if runner.holds.search(data):
            with open(os.path.join(copy.folder, path), "wb") as file:
                file.write(runner.spoil(data))
            count += 1
    return count
