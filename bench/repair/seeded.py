"""The repair search on the seeded faults of `tests/repair`: ``python -m bench.repair.seeded [--only TEXT]``.

"Right" means: the module with the first choice made is, as syntax, the one that the fault was put into. What is not
right by this strict measure may still be a good fix; all tests of the package pass with it.
"""

from __future__ import annotations

import argparse
import ast

from bench.repair.case import Case, Limits
from bench.repair.engine import mend
from bench.repair.table import Table
from tests.repair.seeds import Bug, bugs, clean


def case(bug: Bug) -> Case:
    """The package with its fault; only its module may change."""
    files = {path: text.encode() for path, text in bug.files.items()}
    tests = tuple(path for path in files if path.startswith("test_"))
    return Case(bug.name, files, tests, tests, lambda path: path == f"{bug.package}.py")


def main() -> None:
    """One row a fault, then the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="only faults whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th fault, from the first on")
    parser.add_argument("--cpu", type=float, default=Limits.cpu, help="processor seconds of search for each")
    parser.add_argument("--slots", type=int, default=Limits.slots, help="how many candidates run at once")
    args = parser.parse_args()
    table = Table("fault", "right")
    for bug in bugs()[:: args.every]:
        if args.only in bug.name:
            found = mend(case(bug), Limits(args.cpu, args.slots))
            right = clean(bug.package)[f"{bug.package}.py"]
            table.add(bug.name, found, found.held and _same(found.plausible[0].text, right))
    table.end()


def _same(text: bytes, right: str) -> bool:
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(right))


if __name__ == "__main__":
    main()
