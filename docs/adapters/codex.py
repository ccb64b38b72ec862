"""Codex (`codex exec`) as a model of agentloop: read-only, its shell and its other tools switched off.

Needs `codex` and either a login (`codex login`) or CODEX_API_KEY.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adapter import Answer, Ask, Failed, objects, run, serve

INSTALL = "npm install -g @openai/codex"
# unbounded_connection_retries: without a network codex would wait for one for ever
OFF = ("shell_tool", "unified_exec", "code_mode_host", "view_image", "multi_agent", "multi_agent_v2", "goals",
       "plugins", "apps", "image_generation", "unbounded_connection_retries")  # fmt: skip
SET = ("project_doc_max_bytes=0", 'web_search="disabled"', "skills.include_instructions=false",
       "skills.bundled.enabled=false",
       "tools.experimental_request_user_input.enabled=false", "tools.update_plan.enabled=false",
       "include_permissions_instructions=false", "include_environment_context=false",
       "include_apps_instructions=false", "include_collaboration_mode_instructions=false")  # fmt: skip


def answer(ask: Ask, work: Path) -> Answer:
    """Ask once."""
    system = work.parent / "system.txt"
    system.write_text(ask.system, encoding="utf-8", errors="replace")
    argv = ["codex", "exec", "--json", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--strict-config",
            "--skip-git-repo-check", "-s", "read-only", "-C", str(work), "-m", ask.model]  # fmt: skip
    argv += [word for name in OFF for word in ("--disable", name)]
    argv += [word for pair in SET for word in ("-c", pair)]
    argv += ["-c", f"model_instructions_file={json.dumps(str(system))}", *ask.extra, "-"]
    done = run(argv, ask.prompt, work, INSTALL)
    text, problem = None, ""
    usage: dict[str, Any] = {}
    for event in objects(done.stdout):
        item = event.get("item") or {}
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = item.get("text") or ""
        elif event.get("type") == "turn.completed":
            usage = event.get("usage") or {}
        elif event.get("type") == "turn.failed":
            problem = (event.get("error") or {}).get("message") or "the turn failed"
        elif event.get("type") == "error" and not problem:
            problem = event.get("message") or "" if done.returncode else ""
    if "max_output_tokens" in problem:
        return Answer(text or "", cut=True)
    if problem or done.returncode or text is None:
        raise Failed(problem or done.stderr or f"codex ended with {done.returncode} and no answer")
    names = {"input": "input_tokens", "cached": "cached_input_tokens", "output": "output_tokens"}
    return Answer(text, {name: usage.get(key) for name, key in names.items()})


if __name__ == "__main__":
    serve(answer)
