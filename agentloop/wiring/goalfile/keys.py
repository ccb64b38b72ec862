"""The one table of the goal file's keys: the reader, the JSON Schema, the template and the docs are made from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.core.check import STRENGTHS
from agentloop.core.goal import MAX_CHECKS, ROLES
from agentloop.core.process import LEVELS
from agentloop.wiring.goalfile.hidden import HiddenType
from agentloop.wiring.goalfile.models import models
from agentloop.wiring.goalfile.parts import (
    GLOB,
    CheckType,
    EvidenceType,
    WorkerType,
    inside_problem,
    variable_problem,
)
from agentloop.wiring.goalfile.types import Choice, Key, Many, Named, Number, Record, Text

BUDGET = Record(
    (
        Key("usd", Number(empty=True), "none", "US dollars for models"),
        Key("tokens", Number(1, whole=True, empty=True), "none", "tokens, in and out"),
        Key("ticks", Number(1, whole=True, empty=True), "20", "executed tasks"),
        Key("minutes", Number(above=True, empty=True), "60", "running time"),
        Key("replans", Number(1, whole=True), "5", "plans in a row that change and find nothing"),
        Key("tool_calls", Number(whole=True, empty=True), "400", "tool calls of executors"),
    )
)


def goal_record(problems_of: Callable[[str, Any], list[str]]) -> Record:
    """The goal file; `problems_of` says what is wrong with the parameters of a check kind."""
    checks = CheckType(problems_of)
    anything = Text()
    return Record(
        (
            Key("goal", Text(20_000), "required", "what is wanted, in words", required=True),
            Key("repo", Text(400, inside_problem), "`.`", "the repository, or a folder in one, relative to this file"),
            Key("copy", Text(400, inside_problem), "–", "instead of `repo`: a plain folder; the result is a patch"),
            Key("accept", Many(checks, 1, MAX_CHECKS), "required", "checks that are red now and green at the end: "
                "they decide", required=True),
            Key("guard", Many(checks, 0, MAX_CHECKS), "none", "checks that are green now and must stay so"),
            Key("hidden", HiddenType(Many(checks, 1, MAX_CHECKS)), "none", "checks kept outside the repository, "
                "never shown to a model: a file's path, or a list"),
            Key("allow", Many(GLOB, 1), '`["**"]`', "globs (gitignore syntax) of what may change"),
            Key("protect", Many(GLOB), "none", "globs of what must not change, beside the built-in list"),
            Key("unlock", Many(GLOB), "none", "globs of protected files that may change all the same"),
            Key("evidence", Many(EvidenceType()), "none", "known facts for the planner: text, `file:` or `run:`"),
            Key("hint", Text(4_000), "none", "a person's hint for the planner"),
            Key("prepare", anything, "none", "commands run once on base before anything", later=True),
            Key("python", Text(400), "`$VIRTUAL_ENV`, else `.venv`, else our own", "interpreter for Python checks"),
            Key("budget", BUDGET, "ticks 20, minutes 60, replans 5, tool_calls 400", "limits; at least one of usd, "
                "tokens and ticks"),
            Key("stall", Number(1, whole=True, most=100), "3", "ticks in a row that may leave the state unchanged"),
            Key("models", models(ROLES), "none: the model-free pair", "role → `provider:model`, a map, or a list of "
                "fallbacks"),
            Key("workers", Named(WorkerType()), "see docs/design.md", "capability → pattern, or a map with options"),
            Key("review", Choice(("planner", "off"), ("final",)), "planner", "who may ask for a review"),
            Key("approve", anything, "none", "what needs a person's yes", later=True),
            Key("sandbox", Choice(tuple(LEVELS)), "the best that is proved, down to `landlock`", "least isolation"),
            Key("network", Choice(("none",), ("host",)), "none", "network of workers; checks never have one"),
            Key("strength", Choice(STRENGTHS), "none", "least acceptable strength of what decides"),
            Key("suspect", Choice(("warn", "fail")), "warn", "whether a suspicion of the static screen is only "
                "shown, or a failed verdict"),
            Key("commands", Many(Text(200)), "a sensible list", "what a worker's `run` tool may start, word by word"),
            Key("secrets", Many(Text(200, variable_problem)), "provider keys", "more environment variables whose "
                "values are never stored, sent or shown"),
            Key("summary", Choice(("off", "model")), "off", "`model`: a closing summary by "
                "the planner, shown and never deciding"),
            Key("planner_examples", Number(whole=True, most=0), "0", "earlier plans shown to the planner (only 0 yet)"),
        )
    )  # fmt: skip


def key_table() -> list[tuple[str, str, str]]:
    """Key, default and meaning, for the docs."""
    rows = []
    for key in goal_record(lambda kind, params: []).keys:
        rows.append((key.name, key.default, key.meaning + (" *(not available yet)*" if key.later else "")))
    return rows
