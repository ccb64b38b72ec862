"""The repair search on the QuixBugs programs: ``python -m bench.repair.quixbugs DIR``, DIR a checkout of QuixBugs.

Each program is searched for in a tree that holds it, its Python tests and its JSON cases. "Correct" means that the
first choice does what the reference program does on 300 random inputs that fit the program's preconditions.
QuixBugs is by Derrick Lin, James Koppel and others: https://github.com/jkoppel/QuixBugs
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from agentloop.core.tree import FILE, Entry, Tree
from bench.repair.case import QUICK, Case, Limits, Mended
from bench.repair.engine import HERE, Memory, mend, opened
from bench.repair.table import Table

TESTS = ("conftest.py", "python_testcases/load_testdata.py", "python_testcases/node.py")
TEST_SECONDS = {"levenshtein": 30.0}
"""Processor seconds of one test where the slowest needs more than USUAL even with the reference program."""

USUAL = 3.0


def programs(folder: Path) -> list[str]:
    """Names of the programs that have tests and a reference."""
    names = [path.stem.removeprefix("test_") for path in sorted((folder / "python_testcases").glob("test_*.py"))]
    return [name for name in names if (folder / "correct_python_programs" / f"{name}.py").exists()]


def case(folder: Path, name: str) -> Case:
    """One program with its tests; only the program may change."""
    program, test = f"python_programs/{name}.py", f"python_testcases/test_{name}.py"
    paths = [program, test, *TESTS, f"json_testcases/{name}.json", "python_programs/__init__.py"]
    files = {path: (folder / path).read_bytes() for path in paths if (folder / path).exists()}
    return Case(
        name, files, (test,), (test,), lambda path: path == program, QUICK, test_seconds=TEST_SECONDS.get(name, USUAL)
    )


def correct(folder: Path, name: str, found: Mended) -> tuple[bool, str]:
    """Whether the first choice agrees with the reference, and where not."""
    blobs = Memory()
    texts = {"one.py": found.plausible[0].text, "two.py": (folder / f"correct_python_programs/{name}.py").read_bytes()}
    tree = Tree({path: Entry(FILE, blobs.put(data), len(data)) for path, data in texts.items()})
    program = (HERE / "quixbugs_same.py").read_text(encoding="utf-8")
    with opened(Case(name, texts, (), (), lambda path: False)) as (benches, _), benches.open(tree) as bench:
        ran = bench.launch((bench.python.executable, "-c", program, name, "one.py", "two.py"), 600.0, {})
    try:
        answer = json.loads(ran.stdout.text.splitlines()[-1])
    except (ValueError, IndexError):
        return False, f"could not be compared: {ran.said} {ran.stderr.text[-200:]}"
    return answer["first"] is None, answer["first"] or ""


def main() -> None:
    """One row a program, then the sums, then what is plausible but not correct."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="a checkout of QuixBugs")
    parser.add_argument("--only", default="", help="only programs whose name contains this")
    parser.add_argument("--cpu", type=float, default=Limits.cpu, help="processor seconds of search for each")
    parser.add_argument("--slots", type=int, default=Limits.slots, help="how many candidates run at once")
    args = parser.parse_args()
    table, wrong = Table("program", "correct"), []
    for name in programs(args.folder):
        if args.only in name:
            found = mend(case(args.folder, name), Limits(args.cpu, args.slots))
            right, why = correct(args.folder, name, found) if found.held else (False, "")
            table.add(name, found, right)
            wrong += [f"- {name}: {found.template}; {why}"] if found.held and not right else []
    table.end()
    if wrong:
        print("\nPlausible, not correct:\n\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
