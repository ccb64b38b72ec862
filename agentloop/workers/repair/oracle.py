"""What the tests of a check are for the search: a `run` check that starts Python becomes a test of its own."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Container
from dataclasses import dataclass

from agentloop.checks import KINDS
from agentloop.core.check import CheckSpec

COMMAND_TEST = "test_agentloop_command.py"
"""The test that stands for a command, in the search's own copies of the tree."""

_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_SHELL = re.compile(r"[$`\n]")


@dataclass(frozen=True)
class Oracle:
    """Test ids, files or folders to turn green, and the text of a test that has to be put into the tree for it."""

    targets: tuple[str, ...] = ()
    test: str = ""


def oracle(spec: CheckSpec, failing: tuple[str, ...], tree: Container[str]) -> Oracle:
    """How to search by `spec`. `failing` are the ids that it is known to fail; no targets: there is no way."""
    if spec.kind == "pytest":
        return Oracle(failing or tuple(KINDS["pytest"].files(spec.params)))
    command = spec.params
    if isinstance(command, dict):
        command = f"python -m unittest {command['unittest']}" if "unittest" in command else command.get("cmd")
    if spec.kind != "run" or not isinstance(command, str):
        return Oracle()
    words = _words(command)
    if words and _PYTHON.fullmatch(words[0]):
        words = words[1:]
        while words and words[0] in ("-B", "-u", "-I", "-s", "-E"):
            words = words[1:]
    elif words and words[0] in ("pytest", "py.test"):
        words = ["-m", "pytest", *words[1:]]
    else:
        return Oracle()
    if words[:2] == ["-m", "pytest"]:
        return Oracle(_paths(words[2:], tree) or (".",))
    if words[:2] == ["-m", "unittest"]:
        return Oracle(_unittests(words[2:], tree))
    if (
        not words
        or (words[0].startswith("-") and words[0] not in ("-m", "-c"))
        or len(words) < 1 + (words[0] in "-m-c")
    ):
        return Oracle()
    return Oracle((COMMAND_TEST,), _test(words, command))


def _words(command: str) -> list[str]:
    """The words of a plain command; none where a shell would do more than start it."""
    if _SHELL.search(command.strip()):
        return []
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:
        return []
    return [] if any(set(word) <= set("|&;<>()") for word in words) else words


def _paths(words: list[str], tree: Container[str]) -> tuple[str, ...]:
    """The words that name test files of the tree, or tests in one."""
    return tuple(word for word in words if posixpath.normpath(word.partition("::")[0]) in tree)


def _unittests(words: list[str], tree: Container[str]) -> tuple[str, ...]:
    """What unittest's names mean as pytest's ids; everything where a folder is searched or nothing is named."""
    names = [word for word in words if not word.startswith("-")]
    found = []
    for name in names:
        parts = name.split(".")
        for number in range(len(parts), 0, -1):
            path = "/".join(parts[:number]) + ".py"
            if path in tree:
                found.append("::".join([path, *parts[number:]]))
                break
    return tuple(found) or _paths(names, tree) or (".",)


def _test(words: list[str], command: str) -> str:
    """A test that does what ``python WORDS`` does, in the test's own process."""
    if words[0] == "-m":
        start, argv = f"runpy.run_module({words[1]!r}, run_name='__main__', alter_sys=True)", words[1:]
    elif words[0] == "-c":
        start, argv = (
            f"exec(compile({words[1]!r}, '<command>', 'exec'), {{'__name__': '__main__'}})",
            ["-c", *words[2:]],
        )
    else:
        start, argv = f"runpy.run_path({words[0]!r}, run_name='__main__')", words
    folder = posixpath.dirname(words[0])
    return (
        "import os, runpy, sys\n\n\ndef test_command():\n"
        f"    sys.argv[:] = {argv!r}\n"
        f"    sys.path.insert(0, os.path.join(os.getcwd(), {folder!r}))\n"
        f"    try:\n        {start}\n"
        f"    except SystemExit as end:\n        assert not end.code, {f'{command}: exit code '!r} + str(end.code)\n"
    )
