"""What `agentloop init` writes: a goal file that is valid as it stands and explains itself."""

from __future__ import annotations

_TEXT = """\
# yaml-language-server: $schema=./goal.schema.json

# What is wanted, in words.
goal: The test suite is red. Find out why and fix it.

# The repository, relative to this file. Instead: `copy: FOLDER` for a plain folder without git.
repo: .

# Red now, green at the end: these checks decide whether the goal is reached. Kinds: pytest, run, schema, contains,
# files, script, new_test. Beside the kind: name, timeout (seconds), repeat.
accept:
  - pytest: tests
# - run: make lint
# - new_test: tests/test_new_*.py        # a test that the run writes: it must fail on base

# Green now: what must stay so.
# guard:
#   - pytest: tests

# What may change, and what must not (gitignore syntax). Existing tests, CI and configuration are protected anyway.
allow: ["**"]
# protect: ["migrations/**"]
# unlock: ["tests/test_wrong.py"]        # a base test that may be changed all the same

# Facts to start from.
# evidence:
#   - file: incident/alert.json
#   - run: tail -n 200 app.log
#   - text: It began with release 4.2.
# hint: Look at the retry code first.

# Limits. At least one of usd, tokens and ticks.
budget: {ticks: 20, minutes: 60}

# Without models the built-in search for small bugs is used: no key, no network, no cost.
# models:
#   planner: anthropic:claude-opus-4-5       # key: ANTHROPIC_API_KEY
#   executor: openai:gpt-5-mini              # key: OPENAI_API_KEY
#   reviewer: {model: "openai:local", base_url: "http://127.0.0.1:8080/v1"}

# More: python, stall, workers, review, sandbox, commands. See `agentloop schema goal` or docs/goal-file.md.
"""


def template() -> str:
    """The text of a new goal file."""
    return _TEXT
