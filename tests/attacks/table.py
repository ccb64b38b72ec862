"""The table of attacks, made from the cases of the tests: ``python -m tests.attacks.table [FILE]``.

Without FILE it is printed; with FILE the part between the marks there is written anew. The tests of this folder assert
each line of it, and one compares the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from agentloop.cli.tables import grid
from tests.attacks.attack import Attack

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent.parent / "docs" / "attacks.md"
HEAD = ("attack", "what the candidate does", "outcome", "stopped by")

_PLACE = re.compile(r"(<!-- attacks -->\n).*?(<!-- end attacks -->)", re.DOTALL)


def modules() -> Iterator[ModuleType]:
    """Every test module of this folder that has cases."""
    for file in sorted(FOLDER.glob("test_*.py")):
        module = import_module(f"tests.attacks.{file.stem}")
        if hasattr(module, "CASES"):
            yield module


def cases() -> list[Attack]:
    """All cases: the catalogue's by their numbers, then the others in the order of the files."""
    return sorted((case for module in modules() for case in module.CASES), key=_place)


def _place(case: Attack) -> tuple[bool, str, int]:
    found = re.match(r"([A-Z])(\d+)", case.id)
    return (False, found[1], int(found[2])) if found else (True, "", 0)


def table() -> str:
    """The table as Markdown."""
    return grid(HEAD, [case.row for case in cases()])


def filled(text: str) -> str:
    """`text` with the table between the marks."""
    return _PLACE.sub(lambda found: f"{found[1]}{table()}\n{found[2]}", text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(filled(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
    if not sys.argv[1:]:
        print(table())
