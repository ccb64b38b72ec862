"""Gemini CLI (`gemini -p`) as a model of agentloop: no tool, no extension, one turn.

Needs `gemini` and either GEMINI_API_KEY or an account that is logged in.
"""

from __future__ import annotations

import json
from pathlib import Path

from adapter import Answer, Ask, Failed, objects, run, serve

INSTALL = "npm install -g @google/gemini-cli"
SETTINGS = {
    "tools": {"core": ["none"]},  # an empty list would mean all
    "general": {"maxAttempts": 1},
    "model": {"maxSessionTurns": 1},
    "privacy": {"usageStatisticsEnabled": False},
}


def answer(ask: Ask, work: Path) -> Answer:
    """Ask once. Its own retries are off: agentloop has one policy for all models."""
    system = work.parent / "system.md"
    system.write_text(ask.system, encoding="utf-8", errors="replace")
    (work / ".gemini").mkdir()
    (work / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8", errors="replace")
    argv = ["gemini", "-p", "", "-o", "json", "-m", ask.model, "--skip-trust", "--approval-mode", "plan", "-e", "none"]
    # the settings of an untrusted folder are not read, and --skip-trust comes too late for them
    done = run(
        [*argv, *ask.extra], ask.prompt, work, INSTALL, GEMINI_SYSTEM_MD=str(system), GEMINI_CLI_TRUST_WORKSPACE="true"
    )
    results = objects(done.stdout) or objects(done.stderr[done.stderr.find("\n{\n") + 1 :])
    result = results[-1] if results else {}
    if error := result.get("error"):
        again = True if "RetryableQuotaError" in done.stderr else None
        raise Failed(f"{error.get('code', '')} {error.get('message', 'failed')}", again)
    if done.returncode or not isinstance(result.get("response"), str):
        raise Failed(done.stderr or f"gemini ended with {done.returncode} and no answer")
    counts = [model.get("tokens") or {} for model in ((result.get("stats") or {}).get("models") or {}).values()]
    names = {"input": ("prompt",), "cached": ("cached",), "output": ("candidates", "thoughts")}
    usage = {name: sum(count.get(key, 0) for count in counts for key in keys) for name, keys in names.items()}
    return Answer(result["response"], usage if counts else {})


if __name__ == "__main__":
    serve(answer)
