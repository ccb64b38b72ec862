"""Lines that run only when a module is imported are suspected too, more where the failing path uses what they bind."""

from __future__ import annotations

from pathlib import Path

from agentloop.workers.repair.localise import Trace, localise
from agentloop.workers.repair.search import Aim, search, traced
from tests.workers.repair.rig import place

TEXT = ["LIMIT = 3", "OTHER = 9", "", "def f(x):", "    return x > LIMIT"]


def test_a_constant_that_the_failing_path_uses_is_suspected_more_than_another() -> None:
    """Coverage sees both at import only."""
    trace = Trace({"t": {"outcome": "failed"}}, {"m.py": {1: (), 2: (), 5: ("t",)}})
    scores = {line.number: line.score for line in localise(trace, {"t"}, lambda path: True, {"m.py": TEXT})}
    assert scores[5] > scores[1] > scores[2] > 0


def test_a_file_of_which_only_the_import_ran_is_suspected_where_nothing_else_is() -> None:
    """A wrong pattern or table has no line that a test executes."""
    seen = {"t": {"outcome": "failed"}}
    alone = Trace(seen, {"m.py": {1: (), 2: ()}})
    assert {line.number for line in localise(alone, {"t"}, lambda path: True, {"m.py": TEXT})} == {1, 2}
    beside = Trace(seen, {"m.py": {1: ()}, "n.py": {1: ("t",)}})
    assert {line.path for line in localise(beside, {"t"}, lambda path: True)} == {"n.py"}


def test_a_wrong_constant_of_a_module_is_mended(tmp_path: Path) -> None:
    """The test reads the module's pattern and executes no line of it."""
    test = "from m import WORD\n\n\ndef test_it():\n    assert WORD.match('ab-c').group() == 'ab-c'\n"
    test += "\n\ndef test_other():\n    assert WORD.match('ab c').group() == 'ab'\n"
    files = {"m.py": "import re\n\nWORD = re.compile(r'[a-z]+')\n", "tests/test_m.py": test}
    where, red, green = place(tmp_path, files), "tests/test_m.py::test_it", "tests/test_m.py::test_other"
    aim = Aim((red,), (green,), "allowed", 1, seconds=30)
    found = search(where, aim, traced(where, aim))
    assert found.plausible, (found.why, found.tried, found.suspects)
    assert b"[a-z" in found.plausible[0].text
