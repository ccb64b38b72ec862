"""The tables of README and docs, made from the code: ``python -m agentloop.cli.tables FILE…`` writes them anew.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``; a test compares what stands there.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agentloop.checks import KINDS
from agentloop.cli.app import COMMANDS
from agentloop.core.ends import markdown as exits
from agentloop.core.protect import PROTECTED
from agentloop.core.suspect import MEANINGS
from agentloop.providers import PROVIDERS
from agentloop.tools import TOOLS, Policy
from agentloop.wiring.goalfile import key_table
from agentloop.wiring.team import DEFAULTS
from agentloop.workers import PATTERNS

NOTHING = Policy(lambda path: None, ())
"""A policy for tools that are only asked what they are."""

_PLACE = re.compile(r"(<!-- table: (\w+) -->\n)(?:(?!<!--).)*?(<!-- end -->)", re.DOTALL)


def tables() -> dict[str, str]:
    """Name → the table as Markdown."""
    kinds = [(f"`{name}`", first(check)) for name, check in KINDS.items()]
    commands = [(f"`agentloop {name}`", first(command)) for name, command in COMMANDS.items()]
    providers = [
        (f"`{name}`", found.what, found.needs, f"`{found.key_env}`" if found.key_env else "–", found.base_url or "–")
        for name, found in PROVIDERS.items()
    ]
    return {
        "exits": exits(),
        "kinds": grid(("kind", "does"), kinds),
        "commands": grid(("command", "does"), commands),
        "keys": grid(
            ("key", "default", "meaning"), [(f"`{key}`", default, text) for key, default, text in key_table()]
        ),
        "tools": grid(
            ("tool", "does"), [(f"`{name}`", make(NOTHING).spec.description) for name, make in TOOLS.items()]
        ),
        "patterns": grid(("pattern", "does"), [(f"`{name}`", text) for name, text in PATTERNS.items()]),
        "capabilities": grid(
            ("capability", "pattern", "does"),
            [(f"`{name}`", f"`{spec.pattern}`", told) for name, (spec, told) in DEFAULTS.items()],
        ),
        "providers": grid(("provider", "is", "needs", "key", "default address"), providers),
        "protected": grid(
            ("rule", "files"), [(rule, ", ".join(f"`{g}`" for g in globs)) for rule, globs in PROTECTED.items()]
        ),
        "suspicions": grid(("rule", "looks for"), list(MEANINGS.items())),
    }


def first(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def grid(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def filled(text: str, made: Callable[[], dict[str, str]] = tables) -> str:
    """`text` with every marked table as the code has it now. Raises KeyError for a table that nobody makes."""
    known = made()
    return _PLACE.sub(lambda found: found[1] + known[found[2]] + "\n" + found[3], text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
