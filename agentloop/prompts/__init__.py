"""The prose that models read, one Markdown file per role."""

from __future__ import annotations

from importlib.resources import files


def prompt(role: str) -> str:
    """The text of ``<role>.md`` beside this file."""
    return files("agentloop.prompts").joinpath(f"{role}.md").read_text(encoding="utf-8")
