"""Each seeded fault is one: it can be put in, its package is green without it, and its tests see it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.repair.seeds import DATA, Bug, bugs, clean

PACKAGES = sorted(path.name for path in DATA.iterdir() if path.is_dir())


def suites(folder: Path, variants: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Variant → what its tests came to."""
    for name, files in variants.items():
        (folder / name).mkdir()
        for path, text in files.items():
            (folder / name / path).write_text(text, encoding="utf-8")
    argv = [sys.executable, "-B", str(Path(__file__).parent / "suites.py"), *(str(folder / name) for name in variants)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return {row["folder"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_there_are_many_of_many_kinds() -> None:
    """At least thirty, hardly two of the same kind, in every package, none twice."""
    known = bugs()
    assert len(known) >= 30
    assert len({bug.kind for bug in known}) >= 30
    assert {bug.package for bug in known} == set(PACKAGES)
    assert len({bug.text for bug in known}) == len(known)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_fault_turns_a_green_suite_red(package: str, tmp_path: Path) -> None:
    """The package is green; with the fault it can still be read, some tests fail, others pass, and all of them end."""
    mine = [bug for bug in bugs() if bug.package == package]
    for bug in mine:
        assert ast.dump(ast.parse(bug.text)) != ast.dump(ast.parse(clean(package)[f"{package}.py"]))
    seen = suites(tmp_path, {"clean": clean(package), **{str(bug.number): bug.files for bug in mine}})
    assert (seen["clean"]["code"], seen["clean"]["red"]) == (0, [])
    wrong = [bug.name for bug in mine if not _seen(seen[str(bug.number)])]
    assert wrong == []


def _seen(row: dict[str, Any]) -> bool:
    return row["code"] == 1 and bool(row["red"]) and row["green"] > 0


def test_a_fault_that_does_not_fit_is_refused() -> None:
    """A text that stands there never, or more than once, is no place to put a slip."""
    for right in ("no such text", "self"):
        with pytest.raises(ValueError, match="stands there"):
            _ = Bug(1, PACKAGES[0], "kind", (right,), ("",)).text
