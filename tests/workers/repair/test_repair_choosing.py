"""Choosing among patches that all tests accept: what they do to calls that the tests did not look at."""

from __future__ import annotations

import shutil
from pathlib import Path

from agentloop.workers.repair.choose import Compared, ordered
from agentloop.workers.repair.localise import Trace
from agentloop.workers.repair.place import Place
from agentloop.workers.repair.rank import Candidate
from agentloop.workers.repair.search import Aim, traced
from agentloop.workers.repair.source import Edit, Source
from tests.workers.repair.rig import place

SHOP = "def share(total, parts):\n    each = total * parts\n    return each\n"
TEST = (
    "from shop import share\n\n\ndef test_it():\n    assert share(8, 2) == 4\n\n\n"
    "def test_other():\n    assert share(0, 5) == 0\n    share(3, 1)\n    share(-2, 1)\n"
)


def compared(tmp_path: Path, source: str, test: str, edits: list[Edit]) -> list[tuple[bytes, Compared]]:
    """Patches in the order in which they are preferred; all scores are the same."""
    where: Place = place(tmp_path, {"shop.py": source, "tests/test_shop.py": test})
    tests = ("tests/test_shop.py",)
    trace: Trace = traced(where, Aim(tests, (), "allowed", 1))
    slot = Path(where.scratch, "slot-0")
    shutil.copytree(where.folder, slot)
    (slot / "shop.py").write_text("what a server that was ended left\n")
    patches = [Candidate("shop.py", source.encode(), (edit,), 1.0) for edit in edits]
    sources = {"shop.py": Source("shop.py", source.encode())}
    found = ordered(where, trace, patches, sources, str(slot))
    assert (slot / "shop.py").read_text() == source or not any(seen.told for _, seen in found)
    return [(candidate.edits[0].text, seen) for candidate, seen in found]


def at(source: str, old: str, new: str) -> Edit:
    start = source.index(old)
    return Edit("shop.py", start, start + len(old), new.encode(), "t", 2)


def test_a_patch_that_changes_what_passing_tests_called_comes_last(tmp_path: Path) -> None:
    """Both make the red test green and keep the green one; one gives its unasserted calls another result."""
    edits = [at(SHOP, "total * parts", "4 if total else 0"), at(SHOP, "total * parts", "total // parts")]
    (first, kept), (second, changed) = compared(tmp_path, SHOP, TEST, edits)
    assert (first, second) == (b"total // parts", b"4 if total else 0")
    assert (kept.changed, kept.kept, changed.changed) == (0, 3, 2)
    assert kept.made > 5
    assert kept.worse > 0  # a division by nothing is new
    assert changed.told.startswith("1 of 3 recorded calls come out as before")


def test_a_patch_that_fails_or_hangs_on_calls_like_these_comes_last(tmp_path: Path) -> None:
    """What raises or never ends where the program did not is worse, even though no test sees it."""
    source = "def double(n):\n    return n + 2\n"
    test = (
        "from shop import double\n\n\ndef test_it():\n    assert double(3) == 6\n\n\n"
        "def test_other():\n    assert double(2) == 4\n"
    )
    hang = "double(n) if n == 0 else [None for _ in iter(int, 1)] if n < 0 else n * 2"
    edits = [at(source, "n + 2", hang), at(source, "n + 2", "n * 2 // (n > 0)"), at(source, "n + 2", "n * 2")]
    found = compared(tmp_path, source, test, edits)
    assert found[0][0] == b"n * 2"
    assert [seen.worse for _, seen in found] == [0, 2, 2]


def test_where_nothing_can_be_compared_the_rank_decides(tmp_path: Path) -> None:
    """No passing test calls the function, so both are told without a comparison."""
    source = "def one():\n    return 0\n"
    test = "from shop import one\n\n\ndef test_it():\n    assert one() == 1\n"
    found = compared(tmp_path, source, test, [at(source, "0", "1"), at(source, "0", "True")])
    assert [(text, seen.told) for text, seen in found] == [(b"1", ""), (b"True", "")]
