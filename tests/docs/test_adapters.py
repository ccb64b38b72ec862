"""The adapters of docs/adapters, each with a small fake of its program on the PATH."""

from __future__ import annotations

import ast
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.programs import (
    CALL,
    FOLDER,
    PROGRAMS,
    SAYS,
    TOOL,
    Fake,
    claude_says,
    codex_says,
    gemini_says,
    llm_says,
    option,
    reply,
    request_of,
    seen,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_and_usage_come_through(fake: Fake, name: str) -> None:
    """All tokens are counted: a second model's, cached ones, thoughts."""
    said = reply(fake(name, SAYS[name]("Done: \u2028 ünï.")))
    assert said == {
        "text": "Done: \u2028 ünï.", "tool_calls": [], "stop": "end",
        "usage": {"input": 34, "cached": 10, "output": 14},
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_call_is_found_and_what_follows_it_dropped(fake: Fake, name: str) -> None:
    """The model can't know a result before the call was made."""
    said = reply(fake(name, SAYS[name](CALL)))
    call = {"id": "call_1", "name": "read_file", "arguments": {"path": "a.py"}}
    assert (said["text"], said["tool_calls"], said["stop"]) == ("I will look.", [call], "tool")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_sees_the_conversation_and_nothing_else(fake: Fake, tmp_path: Path, name: str) -> None:
    """An empty folder that is gone afterwards; model, system text, tools and shape; the user's own words last."""
    reply(fake(name, SAYS[name]("ok"), asked=request_of(schema={"title": "Plan"}), argv=("--own", "x y")))
    saw = seen(tmp_path)
    assert set(saw["files"]) <= {".gemini/settings.json"}
    assert not Path(saw["work"]).parent.exists()
    assert saw["env"]["TMPDIR"] == str(Path(saw["work"]).parent)
    assert "m-1" in saw["argv"]
    assert option(saw["argv"], "--own") == "x y"
    assert saw["stdin"].endswith("===== user\nWhat is in a.py?\n\n===== assistant\n")
    system = "".join(saw["given"]) or option(saw["argv"], "-s")
    assert system.startswith("Be brief.")
    assert all(json.dumps(part) in system for part in (TOOL, {"title": "Plan"}))


def test_the_programs_own_tools_are_off(fake: Fake, tmp_path: Path) -> None:
    """Each is an agent by itself; here it is only a model."""
    reply(fake("claude", claude_says("ok"), ANTHROPIC_API_KEY="some-key-of-mine"))
    argv, env = seen(tmp_path)["argv"], seen(tmp_path)["env"]
    assert option(argv, "--tools") == ""
    assert {"-p", "--bare", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"} <= set(argv)
    assert (env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"], env["CLAUDE_CODE_MAX_RETRIES"]) == ("77", "0")
    assert env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    reply(fake("claude", claude_says("ok")))
    assert "--safe-mode" in seen(tmp_path)["argv"]
    assert "--bare" not in seen(tmp_path)["argv"]
    reply(fake("codex", codex_says("ok")))
    argv = seen(tmp_path)["argv"]
    assert (option(argv, "-s"), option(argv, "-C")) == ("read-only", seen(tmp_path)["work"])
    off = {after for word, after in pairwise(argv) if word == "--disable"}
    assert {"shell_tool", "unified_exec", "code_mode_host", "unbounded_connection_retries"} <= off
    assert {"--ephemeral", "--ignore-user-config", "--strict-config", 'web_search="disabled"'} <= set(argv)
    reply(fake("gemini", gemini_says("ok")))
    settings = json.loads(seen(tmp_path)["files"][".gemini/settings.json"])
    assert settings["tools"] == {"core": ["none"]}
    assert settings["model"] == {"maxSessionTurns": 1}
    assert seen(tmp_path)["env"]["GEMINI_CLI_TRUST_WORKSPACE"] == "true"
    assert option(seen(tmp_path)["argv"], "--approval-mode") == "plan"
    reply(fake("llm", llm_says("ok")))
    assert {"--no-log", "--json"} <= set(seen(tmp_path)["argv"])


def test_usage_that_was_not_told_is_left_out(fake: Fake) -> None:
    """Unknown is not 0."""
    for name, out in (
        ("claude", claude_says("x", modelUsage={})),
        ("codex", codex_says("x", {"type": "turn.completed"})),
        ("gemini", '{"response": "x"}'),
        ("llm", '[{"response": "x", "input_tokens": null, "output_tokens": null, "token_details": null}]'),
    ):
        assert reply(fake(name, out)) == {"text": "x", "tool_calls": [], "stop": "end"}


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_an_adapter_needs_the_standard_library_alone(script: Path) -> None:
    """Nothing of agentloop, nothing to install."""
    imported = set()
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported <= sys.stdlib_module_names | {"adapter", "dialect"}


def test_the_page_names_each_adapter() -> None:
    """With a goal's line to copy."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in PROGRAMS if f"docs/adapters/{name}.py" not in page] == []
