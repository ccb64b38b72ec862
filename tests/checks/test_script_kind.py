"""The kind `script`: the verifiers that come with agentloop."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.checks.script import verifiers
from agentloop.core.check import CheckSpec
from agentloop.core.process import Captured, Ran
from tests.checks.plain_bench import Ground


def test_exit_codes_become_statuses(tmp_path: Path) -> None:
    """0 passes, 1 fails, anything else says that the verifier could not judge."""
    name = min(verifiers())
    for code, status in ((0, "passed"), (1, "failed"), (2, "error"), (127, "error")):
        ran = Ran(code=code, stderr=Captured(b"why\n", total=4))
        check = CheckSpec(kind="script", params={"name": name, "args": ["--flag"]})
        result = Ground(tmp_path / str(code)).take(check, {}, launch=lambda argv, timeout, extra, ran=ran: ran)
        assert (result.status, "why" in result.reason) == (status, code != 0)
        assert result.argv[-2:] == (str(verifiers()[name]), "--flag")


@pytest.mark.parametrize("name", sorted(verifiers()))
def test_a_verifier_that_is_called_wrongly_could_not_judge(tmp_path: Path, name: str) -> None:
    """Each shipped one starts in a tree, and answers an unknown option with 2."""
    check = CheckSpec(kind="script", params=f"{name} --no-such-option-here")
    result = Ground(tmp_path).take(check, {})
    assert (result.status, result.exit_code) == ("error", 2), result


def test_an_unknown_verifier_is_a_problem_with_the_nearest_name() -> None:
    """So are empty texts and unclosed quotes; the file's name may be spelled out."""
    name = min(verifiers())
    assert f"did you mean {name!r}?" in KINDS["script"].problems(f"{name}x")[0]
    for wrong in ("", "zzzzzzzz", "a 'b", None, 3, {"name": 3}, {"name": name, "arg": []}, "../../etc/passwd"):
        assert KINDS["script"].problems(wrong), wrong
    for right in (f"{name} a 'b c'", f"verifiers/{name}.py", {"name": name, "args": ["a"]}):
        assert not KINDS["script"].problems(right), right
    assert KINDS["script"].files(f"{name} expected/a.json src/b.py") == ["expected/a.json"]
