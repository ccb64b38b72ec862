"""The patterns that serve capabilities, by name. What a name needs is put together in `agentloop.wiring.workers`."""

PATTERNS = {
    "react": "a model with tools, one call after another, in a bounded loop",
    "review": "a model's opinion on the change so far; it decides nothing",
    "repair": "no model: finds the fault from failing and passing tests and tries small program changes",
    "command": "no model: runs one command; the artifact is its result",
}
"""Pattern → what it does."""
