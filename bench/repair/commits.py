"""The repair search on real fix commits: ``python -m bench.repair.commits LIST MIRROR --python EXECUTABLE``.

LIST holds lines `OWNER/NAME COMMIT` (`choose.py` makes one), MIRROR the repositories. The failing state is the commit
without its change of source; the search gets 60 processor seconds; then the whole suite is run. A fix counts where no
test that passed before, and with the true fix, fails with the found one. ``--usable`` only tells which of the commits
can be measured here (some test fails before and passes after), and prints them; ``--show DIR`` writes each found change
beside the true one, for a reader to compare.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from bench.repair.case import Case, Limits, Mended
from bench.repair.choose import git
from bench.repair.engine import mend
from bench.repair.history import Fix, read, usable
from bench.repair.table import Table


def show(folder: Path, fix: Fix, case: Case, found: Mended) -> None:
    """Write the found changes and the true one."""
    parts = []
    for candidate in found.plausible[:3]:
        old, new = (data.decode("utf-8").splitlines(True) for data in (case.files[candidate.path], candidate.text))
        parts.append("".join(difflib.unified_diff(old, new, candidate.path, candidate.path, n=2)))
    true = git(fix.folder, "show", "--format=TRUE FIX: %s", "-U2", fix.commit, "--", "*.py", ":!*test*")
    text = "\n--------\n".join([f"{fix.name} held={found.held} broken={found.broken[:5]}", *parts, true])
    (folder / f"{fix.name.replace('/', '+').replace(' ', '-')}.diff").write_text(text, encoding="utf-8")


def main() -> None:
    """One row a commit, then the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("list", type=Path, help="lines of OWNER/NAME COMMIT")
    parser.add_argument("mirror", type=Path, help="folder of the repositories")
    parser.add_argument("--python", help="interpreter that has what the suites need")
    parser.add_argument("--usable", action="store_true", help="only tell which commits can be measured")
    parser.add_argument("--show", type=Path, help="folder for the changes that were found")
    parser.add_argument("--cpu", type=float, default=Limits.cpu, help="processor seconds of search for each")
    parser.add_argument("--slots", type=int, default=Limits.slots, help="how many candidates run at once")
    args = parser.parse_args()
    table = None if args.usable else Table("commit", "judged right")
    for fix in read(args.list, args.mirror):
        case, why = usable(fix, args.python)
        if case is None or table is None:
            print(f"# {fix.name}: {why}" if why else f"{fix.repository} {fix.commit}", flush=True)
            continue
        found = mend(case, Limits(args.cpu, args.slots))
        table.add(fix.name, found, None)
        if args.show:
            show(args.show, fix, case, found)
    if table:
        table.end()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
