"""The parts of a goal file that have a form of their own: checks, globs, evidence, models, workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentloop.core.check import CheckSpec
from agentloop.core.globs import glob_problem as bad_glob
from agentloop.core.goal import Evidence, WorkerSpec
from agentloop.core.session import Session
from agentloop.wiring.goalfile.nodes import Mapping, Node, Problems, Scalar, Sequence, resolve, what
from agentloop.wiring.goalfile.types import MISSING, Choice, Key, Many, Number, Record, Text, near

KINDS = ("run", "pytest", "schema", "contains", "files", "script", "io", "new_test", "evidence")
TASK_KINDS = ("evidence",)
"""Kinds that look at what a task found out; a goal has no findings."""

GOAL_KINDS = tuple(kind for kind in KINDS if kind not in TASK_KINDS)
TOOLS = ("read", "list", "search", "edit", "write", "run", "suspects", "fetch_artifact", "report")
PATTERNS = ("react", "review", "repair", "command")
LATER_PATTERNS = ("deep", "router", "parallel", "groupchat", "reflect", "goal")

BESIDE = Record(
    (
        Key("name", Text(200), "–", "what to call the check"),
        Key("timeout", Number(above=True, most=86_400), "300", "seconds after which it has failed"),
        Key("repeat", Number(1, whole=True, most=20), "1", "how many runs must all pass"),
        Key("expect", Choice(("green",)), "green", "what it must say"),
    )
)


@dataclass(frozen=True)
class CheckType:
    """A map with exactly one kind as key; its value are the parameters, which the kind itself looks at."""

    problems_of: Callable[[str, Any], list[str]]

    def read(self, node: Node, problems: Problems) -> Any:
        """A CheckSpec."""
        if not isinstance(node, Mapping):
            problems.say(node, f"found {what(node)}; a check is right here, such as `- pytest: tests`")
            return MISSING
        beside = {key.name for key in BESIDE.keys}
        kinds = [(key, value) for key, value in node.entries if key.text not in beside]
        for key, _ in kinds:
            if key.text in TASK_KINDS:
                problems.say(key, f"{key.text!r} looks at the findings of a task; a goal has none: planners add it")
                return MISSING
            if key.text not in KINDS:
                problems.say(key, f"unknown check kind {key.text!r}; {near(key.text, GOAL_KINDS)}")
                return MISSING
        if len(kinds) != 1:
            problems.say(
                node, f"{len(kinds)} check kinds in one check; exactly one is right, of {', '.join(GOAL_KINDS)}"
            )
            return MISSING
        rest = Mapping([entry for entry in node.entries if entry[0].text in beside], node.line, node.column)
        more = BESIDE.read(rest, problems)
        key, value = kinds[0]
        params = free(value, problems)
        if params is MISSING:
            return MISSING
        if found := self.problems_of(key.text, params):
            for problem in found:
                problems.say(value, f"{key.text}: {problem}")
            return MISSING
        return CheckSpec(kind=key.text, params=params, **more)

    def schema(self) -> dict[str, Any]:
        """An object with one of the kinds."""
        beside = BESIDE.schema()["properties"]
        kinds = {kind: {"description": f"parameters of the check kind `{kind}`"} for kind in GOAL_KINDS}
        one = [{"required": [kind]} for kind in GOAL_KINDS]
        return {"type": "object", "properties": {**kinds, **beside}, "additionalProperties": False, "oneOf": one}


def free(node: Node, problems: Problems) -> Any:
    """A node as plain Python values, for parameters of any shape."""
    if isinstance(node, Sequence):
        values = [free(item, problems) for item in node.items]
        return MISSING if any(value is MISSING for value in values) else values
    if isinstance(node, Mapping):
        held = {key.text: free(value, problems) for key, value in node.entries}
        return MISSING if any(value is MISSING for value in held.values()) else held
    try:
        return resolve(node)
    except ValueError as error:
        problems.say(node, str(error))
        return MISSING


def glob_problem(text: str) -> str | None:
    """Why `text` can't be a glob of the goal."""
    if text.startswith(("~", "/")) or ".." in text.split("/") or "\\" in text:
        return f"{text!r} leads out of the repository; globs are relative to its root, such as 'src/**'"
    return bad_glob(text)


GLOB = Text(400, glob_problem)


def inside_problem(text: str) -> str | None:
    """Why `text` can't be a path beside the goal file."""
    if text.startswith("~") or "\0" in text:
        return f"{text!r} is not a path; it is relative to the goal file"
    return None


def variable_problem(text: str) -> str | None:
    """Why `text` can't be the name of an environment variable."""
    if text.isidentifier() and text.isascii():
        return None
    return f"{text!r} is not the name of an environment variable, such as DEPLOY_TOKEN (never the value itself)"


@dataclass(frozen=True)
class EvidenceType:
    """Text, or a map with exactly one of text, file and run."""

    def read(self, node: Node, problems: Problems) -> Any:
        """An Evidence."""
        if isinstance(node, Scalar):
            text = Text(20_000).read(node, problems)
            return MISSING if text is MISSING else Evidence(text=text)
        values = _EVIDENCE.read(node, problems)
        if values is MISSING:
            return MISSING
        if isinstance(node, Mapping) and len(node.entries) != 1:
            problems.say(node, "one of `text`, `file` and `run` is right in each item of evidence")
            return MISSING
        return Evidence(**values) if values else MISSING

    def schema(self) -> dict[str, Any]:
        """Text or an object with one key."""
        return {"anyOf": [Text(20_000).schema(), {**_EVIDENCE.schema(), "minProperties": 1, "maxProperties": 1}]}


_EVIDENCE = Record(
    (
        Key("text", Text(20_000), "–", "what is known, in words"),
        Key("file", Text(400, inside_problem), "–", "a file, relative to the goal file"),
        Key("run", Text(2_000), "–", "a shell command, run once on base"),
    )
)


def session_problem(text: str) -> str | None:
    """Why `text` is no session strategy."""
    if Session.parse(text):
        return None
    return (
        f"{text!r} is unknown; right are full, windowed:N, summarizing:N, relevant:N and semantic:N (N from 1 to 999)"
    )


PATTERN = Choice(PATTERNS, LATER_PATTERNS)
WORKER = Record(
    (
        Key("pattern", PATTERN, "–", "how the capability is served", required=True),
        Key("model", Choice(("executor", "planner", "reviewer")), "executor", "whose model it uses"),
        Key("tools", Many(Choice(TOOLS)), "the capability's", "which tools it has"),
        Key("turns", Number(1, whole=True, most=50), "10", "turns of one task at most"),
        Key(
            "session",
            Text(40, session_problem),
            "full",
            "turns shown again: `full`, `windowed:N`, `summarizing:N`, `relevant:N`, `semantic:N`",
        ),
    )
)


@dataclass(frozen=True)
class WorkerType:
    """A pattern's name, or a map with options."""

    def read(self, node: Node, problems: Problems) -> Any:
        """A WorkerSpec."""
        if isinstance(node, Scalar):
            pattern = PATTERN.read(node, problems)
            return MISSING if pattern is MISSING else WorkerSpec(pattern=pattern)
        values = WORKER.read(node, problems)
        return MISSING if values is MISSING or "pattern" not in values else WorkerSpec(**values)

    def schema(self) -> dict[str, Any]:
        """A word or an object."""
        return {"anyOf": [PATTERN.schema(), WORKER.schema()]}
