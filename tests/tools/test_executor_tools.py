"""What an executor may do, and how it is told that it may not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.chat import ToolCall
from agentloop.core.goal import DEFAULT_COMMANDS
from agentloop.core.process import Captured, Ran
from agentloop.core.screen import Fence
from agentloop.core.task import Finding
from agentloop.ports import DeskError
from agentloop.tools import TOOLS, Shelf, invoke, parse_report, toolbox
from tests.fakes import FakeBlobs, FakeDesk, tree_of

FILES = {
    "src/a.py": b"def f():\n    return 1\n\n\ndef g():\n    return 1\n",
    "src/crlf.py": b"a = 1\r\nb = 2\r\n",
    "tests/test_a.py": b"x\n",
    "data.bin": b"\0\xff",
}


def desk(files: dict[str, bytes] | None = None) -> FakeDesk:
    blobs = FakeBlobs()
    return FakeDesk(blobs, tree_of(blobs, FILES if files is None else files))


def tools(**more: Any) -> Any:
    fence = Fence(allow=("src/**", "tests/test_new_*.py"))
    return toolbox(tuple(TOOLS), fence, FILES, more.get("writes", ()), DEFAULT_COMMANDS, Shelf())


def use(place: FakeDesk, name: str, **arguments: Any) -> tuple[bool, str]:
    return invoke(tools(), ToolCall(id="1", name=name, arguments=json.dumps(arguments)), place)


def test_read_pages_through_a_file_and_says_what_is_no_text() -> None:
    """Numbered lines, where to read on, and a note for bytes that are not UTF-8."""
    long = desk({"l": b"".join(b"line %d\n" % n for n in range(1, 1001))})
    ok, text = use(long, "read", path="l", start=3, lines=2)
    assert ok
    assert text == "    3  line 3\n    4  line 4\n(1000 lines in all; read on with start=5)"
    assert "not UTF-8 text" in use(desk(), "read", path="data.bin")[1]
    assert use(desk(), "read", path="none")[0] is False


def test_list_and_search_narrow_by_glob() -> None:
    """Paths in gitignore syntax; what is left out is counted."""
    assert use(desk(), "list", glob="src/**")[1] == "src/a.py\nsrc/crlf.py"
    assert use(desk(), "list", limit=1)[1].endswith("(3 more; narrow the glob)")
    assert use(desk(), "list", glob="x/**")[1] == "no path matches 'x/**'"


def test_write_and_edit_stay_within_the_fence() -> None:
    """Outside `allow` and protected files are refused in words, before anything is written; new tests may be."""
    place = desk()
    assert use(place, "write", path="src/new.py", content="x = 1\n") == (True, "wrote 6 bytes to src/new.py")
    assert use(place, "write", path="tests/test_new_a.py", content="")[0]
    for path, word in (("README.md", "outside"), ("tests/test_a.py", "protected"), ("conftest.py", "protected")):
        ok, text = use(place, "write", path=path, content="x")
        assert (ok, word in text) == (False, True)
        assert place.held.get(path) == FILES.get(path)
    own = tools(writes=("src/a.py",))
    call = ToolCall(id="1", name="write", arguments='{"path": "src/b.py", "content": ""}')
    assert invoke(own, call, place) == (False, "'src/b.py' is outside the files of this task: src/a.py")


def test_an_edit_that_does_not_fit_changes_nothing_and_hints() -> None:
    """Ambiguous, nearly right, wrong white space, empty and idle edits are told apart."""
    place = desk()
    cases = [
        ({"old": "return 1", "new": "return 2"}, "occurs 2 times (lines 2, 6), not 1"),
        ({"old": "def  f():\n  return 1", "new": "x"}, "only white space differs, at line 1"),
        ({"old": "def f(x):\n    return 1", "new": "x"}, "this comes nearest, at line 1"),
        ({"old": "nothing like it at all, really", "new": "x"}, "does not occur in the file"),
        ({"old": "", "new": "x"}, "`old` is empty"),
        ({"old": "x", "new": "x"}, "are the same"),
    ]
    for arguments, words in cases:
        ok, text = use(place, "edit", path="src/a.py", **arguments)
        assert (ok, words in text) == (False, True), text
    assert place.held["src/a.py"] == FILES["src/a.py"]
    assert use(place, "edit", path="src/a.py", old="return 1", new="return 2", count=2)[0]
    assert place.held["src/a.py"].count(b"return 2") == 2


LINES = st.lists(st.text(alphabet="ab ü\t", max_size=4), min_size=1, max_size=6)


@given(LINES, LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_edit_changes_what_it_names_and_no_other_byte(
    before: list[str], middle: list[str], after: list[str], end: str, final: bool
) -> None:
    """Line ends and everything around stay; where `old` does not occur exactly once, all stays."""
    old = "\n".join(["<<", *middle, ">>"])
    parts = [end.join(before), end.join(["<<", *middle, ">>"]), end.join(after)]
    text = end.join(parts) + (end if final else "")
    place = desk({"src/f.txt": text.encode()})
    ok, _ = use(place, "edit", path="src/f.txt", old=old, new="new\nlines")
    assert ok
    wanted = end.join([parts[0], f"new{end}lines" if "\r\n" in text else "new\nlines", parts[2]]) + (
        end if final else ""
    )
    assert place.held["src/f.txt"] == wanted.encode()


def test_run_shows_what_became_of_it_with_escapes_made_visible() -> None:
    """Exit code and both streams; terminal tricks in the output are shown, not played."""

    class Loud(FakeDesk):
        def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
            out = Captured(b"ok\x1b[2J\rx\n", b"", 9)
            return Ran(code=3, stdout=out, stderr=Captured(b"\xff", b"", 1))

    place = Loud(FakeBlobs(), tree_of(FakeBlobs(), {}))
    ok, text = use(place, "run", argv=["pytest"])
    assert ok
    assert text == "exit code 3\n--- stdout\nok\\x1b[2J\\x0dx\n\n--- stderr\n\ufffd"
    assert use(place, "run", argv=["bash"])[0] is False


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("raed", "{}", "unknown tool 'raed'; did you mean 'read'?"),
        ("read", "{", "are not JSON"),
        ("read", "[]", "list, not an object"),
        ("read", '{"path": "a", "path": "b"}', "the key 'path' stands twice"),
        ("read", '{"path": NaN}', "NaN is no JSON number"),
        ("read", "{}", "the parameter `path` is missing"),
        ("read", '{"path": 3}', "`path`: input should be a valid string; found 3"),
        ("read", '{"path": "a", "lines": "many"}', "`lines`:"),
        ("read", '{"pth": "a"}', "there is no parameter `pth`; known: path, start, lines"),
        ("write", json.dumps({"path": "src/x", "content": "x" * 2_000_000}), "more than 1048576 bytes"),
        ("report", '{"claim": "finished"}', "`claim`:"),
        ("read", "[" * 100_000, "are not JSON"),
        ("read", '{"path": "\\ud800"}', "lone surrogate"),
        ("list", '{"glob": "!"}', "a negation"),
        ("list", '{"glob": "[b-a]"}', "is no glob"),
        ("search", json.dumps({"pattern": "x", "glob": "*a" * 30}), "stars"),
    ],
)
def test_arguments_that_cannot_be_trusted_come_back_as_words(name: str, arguments: str, words: str) -> None:
    """Never applied in part, never a crash: the model is told the field, what was found and what is right."""
    ok, text = invoke(tools(), ToolCall(id="1", name=name, arguments=arguments), desk())
    assert (ok, words in text) == (False, True), text


def test_a_report_becomes_an_artifact_without_a_tree() -> None:
    """Claim, findings with their evidence, and broken assumptions."""
    text = json.dumps(
        {"claim": "replan", "note": "n", "findings": [{"text": "t", "command": "c", "output": "o"}], "broken": ["h1"]}
    )
    artifact = parse_report(text)
    assert (artifact.claim, artifact.broken, artifact.tree) == ("replan", ("h1",), None)
    assert artifact.findings == (Finding(text="t", command="c", output="o"),)
    with pytest.raises(DeskError):
        parse_report('{"claim": "won"}')


def test_every_tool_shows_a_closed_schema_and_a_description() -> None:
    """What a model is shown has no open objects and says what the tool is for."""
    for tool in tools().values():
        assert tool.spec.parameters["additionalProperties"] is False
        assert len(tool.spec.description) > 20
