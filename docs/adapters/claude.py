"""Claude Code (`claude -p`) as a model of agentloop: its tools, settings, memory and sessions switched off.

Needs `claude` and either ANTHROPIC_API_KEY (or a cloud provider's variables) or an account that is logged in.
"""

from __future__ import annotations

import os
from pathlib import Path

from adapter import Answer, Ask, Failed, objects, run, serve

INSTALL = "npm install -g @anthropic-ai/claude-code"
KEYS = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
COUNTED = {"input": ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
           "cached": ("cacheReadInputTokens",), "output": ("outputTokens",)}  # fmt: skip


def answer(ask: Ask, work: Path) -> Answer:
    """Ask once. Its own retries are off: agentloop has one policy for all models."""
    system = work.parent / "system.txt"
    system.write_text(ask.system, encoding="utf-8", errors="replace")
    # --bare reads no login, so an account gets what is nearest to it
    lean = "--bare" if any(map(os.environ.get, KEYS)) else "--safe-mode"
    argv = ["claude", "-p", lean, "--output-format", "json", "--tools", "", "--strict-mcp-config",
            "--disable-slash-commands", "--no-session-persistence", "--system-prompt-file", str(system),
            "--model", ask.model, *ask.extra]  # fmt: skip
    done = run(
        argv, ask.prompt, work, INSTALL,
        CLAUDE_CODE_MAX_OUTPUT_TOKENS=str(ask.max_output),
        CLAUDE_CODE_MAX_RETRIES="0",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",  # without it a second request asks for a title
    )  # fmt: skip
    results = [value for value in objects(done.stdout) if value.get("type") == "result"]
    if not results:
        raise Failed(done.stderr or done.stdout or f"claude ended with {done.returncode} and said nothing")
    result = results[-1]
    text = result.get("result") or ""
    # "usage" leaves out what is asked beside the main turn; this does not
    models = list((result.get("modelUsage") or {}).values())
    usage = {name: sum(model.get(key, 0) for model in models for key in keys) for name, keys in COUNTED.items()}
    if result.get("is_error") and "output token maximum" in text:
        return Answer("", usage if models else {}, cut=True)
    if result.get("is_error") or done.returncode or "result" not in result:
        raise Failed(text or done.stderr or f"claude ended with {done.returncode}")
    return Answer(text, usage if models else {}, cut=result.get("stop_reason") == "max_tokens")


if __name__ == "__main__":
    serve(answer)
