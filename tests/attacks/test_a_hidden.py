"""Group A against checks that no candidate sees: what wins the visible tests alone does not win the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.attacks import hostile_code as h
from tests.attacks.arena import HONEST, Arena, Seen, shell
from tests.attacks.attack import Attack
from tests.attacks.test_a_code import wrong
from tests.repos import write

SECRET = {
    "hidden.yaml": (
        "- pytest: deep/test_more.py\n  name: by pytest\n- io: {call: calc:add, cases: cases.json}\n  name: by cases\n"
    ),
    "deep/test_more.py": "from calc import add\n\n\ndef test_more():\n    assert add(20, 3) == 23\n",
    "cases.json": json.dumps([{"name": "more", "args": [9, 8], "returns": 17}]),
}
KINDS = {
    "A9-hidden": ("special cases, and a hidden test", wrong(h.SPECIAL), ("by pytest", "by cases")),
    "extra-watched-outside": ("extra-watched, and answers compared outside", wrong(h.WATCHED), ("by cases",)),
}
PLAYED = "test_what_wins_the_visible_tests_does_not_win_the_run"
CASES = tuple(
    Attack(name, title, "FAIL", "hidden or outside check", test=PLAYED) for name, (title, _, _) in KINDS.items()
)
QUICK = ("A9-hidden",)


def _play(home: Path, act: list[tuple[str, dict[str, object]]]) -> Seen:
    write(home / "secret", SECRET)
    return Arena(home, goal={"guard": None, "hidden": "secret/hidden.yaml"}).play(act)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in KINDS])
def test_what_wins_the_visible_tests_does_not_win_the_run(name: str, tmp_path: Path) -> None:
    """The visible check passes, as in the cases without these; what is compared outside of the process does not."""
    _, act, red = KINDS[name]
    seen = _play(tmp_path, act)
    assert seen.code in (10, 11, 12), seen.err
    assert seen.last_line.startswith("NoViablePlan: ")
    assert seen.untouched
    rows = {row["name"]: row["status"] for row in seen.result["checks"]}
    assert rows["sums"] == "passed"
    assert {label for label in ("by pytest", "by cases") if rows[label] != "passed"} >= set(red), rows


def test_the_honest_fix_passes_them(tmp_path: Path) -> None:
    """The control; the strength of each verdict stands in the result."""
    seen = _play(tmp_path, shell({"calc.py": HONEST}))
    seen.expect("SUCCESS")
    strengths = {row["name"]: row["strength"] for row in seen.result["checks"]}
    assert strengths == {"sums": "visible", "by pytest": "hidden", "by cases": "out-of-process"}
