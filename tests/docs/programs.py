"""What the programs of docs/adapters print, and running an adapter."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "adapters"
PROGRAMS = ("claude", "codex", "gemini", "llm")
TOOL = {"name": "read_file", "description": "Reads a file.", "parameters": {"type": "object"}}
CALL = 'I will look.\n```json\n{"name": "read_file", "arguments": {"path": "a.py"}}\n```\nThe file says 3.'

FAKE = """\
#!{python}
import json, os, sys
from pathlib import Path
argv, work = sys.argv[1:], Path.cwd()
names = [word.split("=", 1)[-1].strip('"') for word in argv] + list(os.environ.values())
beside = [Path(name) for name in names if name.startswith(str(work.parent)) and Path(name).is_file()]
seen = {{
    "argv": argv, "stdin": sys.stdin.buffer.read().decode(), "work": str(work), "env": dict(os.environ),
    "files": {{str(path.relative_to(work)): path.read_text() for path in work.rglob("*") if path.is_file()}},
    "given": [path.read_text() for path in beside],
}}
Path({seen!r}).write_text(json.dumps(seen))
sys.stdout.write({out!r})
sys.stderr.write({err!r})
sys.exit({code})
"""

Fake = Callable[..., subprocess.CompletedProcess[str]]


def request_of(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked = list(messages) or [{"role": "user", "text": "What is in a.py?"}]
    return {"model": "m-1", "system": "Be brief.", "messages": asked, "tools": [TOOL], "max_output": 77, **more}


def claude_says(text: str, **more: Any) -> str:
    used = {"inputTokens": 10, "cacheReadInputTokens": 5, "cacheCreationInputTokens": 2, "outputTokens": 7}
    result = {"type": "result", "subtype": "success", "is_error": False, "result": text, "stop_reason": "end_turn",
              "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {"m-1": used, "other": used}}  # fmt: skip
    return json.dumps({**result, **more})


def codex_says(text: str, *more: dict[str, Any]) -> str:
    used = {"input_tokens": 34, "cached_input_tokens": 10, "output_tokens": 14, "reasoning_output_tokens": 3}
    events = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "error", "message": "only a warning"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "a word before"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        *(more or ({"type": "turn.completed", "usage": used},)),
    ]
    return "\n".join(json.dumps(event, ensure_ascii=False) for event in events)


def gemini_says(text: str) -> str:
    tokens = {"input": 12, "prompt": 17, "candidates": 5, "total": 24, "cached": 5, "thoughts": 2, "tool": 0}
    return json.dumps({"response": text, "stats": {"models": {"a": {"tokens": tokens}, "b": {"tokens": tokens}}}})


def llm_says(text: str, **response: Any) -> str:
    details = json.dumps({"prompt_tokens_details": {"cached_tokens": 10}})
    return json.dumps(
        [
            {
                "response": text,
                "input_tokens": 34,
                "output_tokens": 14,
                "token_details": details,
                "response_json": response,
            }
        ]
    )


SAYS: dict[str, Callable[..., str]] = dict(zip(PROGRAMS, (claude_says, codex_says, gemini_says, llm_says), strict=True))


def adapted(name: str, asked: Any, argv: tuple[str, ...], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", str(FOLDER / f"{name}.py"), *argv]
    text = asked if isinstance(asked, str) else json.dumps(asked)
    return subprocess.run(command, input=text, env=env, capture_output=True, text=True, check=False, timeout=30)


def reply(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def seen(tmp_path: Path) -> dict[str, Any]:
    value = json.loads((tmp_path / "seen").read_text())
    assert isinstance(value, dict)
    return value


def option(argv: list[str], name: str) -> str:
    return argv[argv.index(name) + 1]
