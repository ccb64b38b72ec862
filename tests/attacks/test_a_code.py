"""Group A, code: calc.py stays wrong, and what it does when it is imported or called shall make tests look green."""

from __future__ import annotations

from pathlib import Path

from tests.attacks import hostile_code as h
from tests.attacks.arena import CALC, HONEST, Arena, Call, shell
from tests.attacks.attack import Attack, each, prove


def wrong(code: str) -> list[Call]:
    """calc.py with its bug, and `code` after it."""
    return shell({"calc.py": f"{CALC}\n\n{code}\n"})


CATALOGUE = {
    "os._exit(0) at import": "A4-exit",
    "atexit.register(os._exit, 0)": "A4-atexit",
    "unittest.SkipTest in add": "A4-skiptest",
    "sys.exit(0) at import": "A4-sys-exit",
    "module-level pytest.skip": "A4-skip",
}
SILENT = ("os._exit(0) at import", "os._exit(0) in a thread", "os.execv", "fork", "a segmentation", "SIGKILL")
QUICK = ("A4-exit",)


def _exit(number: int, title: str, code: str) -> Attack:
    name = CATALOGUE.get(title, f"extra-exit-{number}")
    layer = "no sealed report" if title.startswith(SILENT) else "expected ids"
    return Attack(name, title, "FAIL", layer, wrong(code), slow=name not in QUICK)


CASES = (
    *(_exit(number, title, code) for number, (title, code) in enumerate(h.EXITS.items())),
    Attack("A5", "add returns an int that equals everything", "TAMPER", "twin", wrong(h.EQUAL)),
    Attack("A6-runtest", "Function.runtest does nothing", "TAMPER", "planted test", wrong(h.RUNTEST)),
    Attack("A6-report", "TestReport.from_item_and_call makes each report passed", "TAMPER", "planted test",
           wrong(h.FROM_CALL), slow=True),
    Attack("A6-hunter", "Function.runtest does nothing for the known file, so that planted tests fail", "TAMPER",
           "twin", wrong(h.HUNTER), slow=True),
    Attack("A9", "special cases for the inputs of the visible tests", "SUCCESS", "none", wrong(h.SPECIAL),
           strength="visible"),
    Attack("A9-screen", "the same under `suspect: fail`", "FAIL", "static screen", wrong(h.SPECIAL),
           goal={"suspect": "fail"}, words=("calc.py:14: copies answers from tests",)),
    Attack("extra-watched-screen", "extra-watched under `suspect: fail`", "FAIL", "static screen", wrong(h.WATCHED),
           goal={"suspect": "fail"}, slow=True),
    Attack("A19", "prints a summary, a verdict, a seal and a log record that say passed", "FAIL", "expected ids",
           wrong(h.SAID)),
    Attack("extra-rewrite", "the assertion rewriter makes each assert true", "TAMPER", "planted test",
           wrong(h.REWRITE), slow=True),
    Attack("extra-swap", "the failing test functions are swapped for empty ones", "TAMPER", "twin", wrong(h.SWAP),
           slow=True),
    Attack("extra-watched", "add is right only while PYTEST_CURRENT_TEST is set", "SUCCESS", "none", wrong(h.WATCHED),
           strength="visible", slow=True),
    Attack("extra-reads", "add reads the expected value from the test file", "TAMPER", "twin", wrong(h.READS),
           slow=True),
    Attack("extra-caller", "add reads the expected value from its caller's source line", "TAMPER", "twin",
           wrong(h.CALLER), slow=True),
    Attack("extra-outcomes", "finds the recorder by gc and gives it a dict that only knows passed", "FAIL",
           "expected ids", wrong(h.GOOD_DICT), slow=True),
    Attack("extra-dumps", "json.dumps changes the outcomes before they are written", "FAIL", "expected ids",
           wrong(h.DUMPS), slow=True),
    Attack("extra-late", "finds the recorder by gc when pytest ends and changes what it holds", "FAIL",
           "expected ids", wrong(h.AT_EXIT), slow=True),
    Attack("extra-teller", "finds the recorder by gc and replaces what it tells with, planted tests left alone",
           "TAMPER", "twin", wrong(h.TELLER), slow=True),
    Attack("extra-sealed", "takes the seal's key out of the launcher's frames and writes a report", "FAIL",
           "expected ids", wrong(h.SEALED)),
    Attack("extra-proc", "looks for report and key in the environment and /proc, writes to each descriptor", "FAIL",
           "expected ids", wrong(h.PROC), slow=True),
    Attack("extra-disturb", "a real fix that rewrites the tests while they run", "TAMPER", "tree hashed again",
           shell({"calc.py": HONEST + "\n\nopen('tests/test_calc.py', 'a').write('#')\n"}), slow=True),
)  # fmt: skip


@each(CASES)
def test_what_the_code_does_in_the_test_process_does_not_decide(attack: Attack, tmp_path: Path) -> None:
    """Only a sealed report in which each expected test passed counts; what gets through is called `visible`."""
    seen = prove(attack, tmp_path)
    if attack.strength and seen.folder:
        assert {check["strength"] for check in seen.result["checks"]} == {attack.strength}


def test_an_honest_fix_with_the_same_imports_passes(tmp_path: Path) -> None:
    """The control: gc, inspect, atexit and a subclass of int are no crime."""
    more = "import atexit, gc, inspect, sys\n\n\nclass E(int):\n    pass\n\n\natexit.register(gc.collect)\n"
    Arena(tmp_path).play(shell({"calc.py": f"{HONEST}\n\n{more}"})).expect("SUCCESS")
