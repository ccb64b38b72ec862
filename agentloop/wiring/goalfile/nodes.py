"""Strict YAML as nodes that know where they stand. Built from parser events: nothing is constructed or resolved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from agentloop.errors import GoalFileError, Problem

MAX_BYTES, MAX_DEPTH = 256 * 1024, 32


@dataclass(frozen=True)
class Scalar:
    """One value as it was written; `plain` means without quotes. Lines and columns count from 1."""

    text: str
    plain: bool
    line: int
    column: int


@dataclass(frozen=True)
class Sequence:
    """A list."""

    items: list[Node]
    line: int
    column: int


@dataclass(frozen=True)
class Mapping:
    """A map; keys are scalars, in the order of the file, duplicates already reported and left out."""

    entries: list[tuple[Scalar, Node]]
    line: int
    column: int


Node = Scalar | Sequence | Mapping


class Problems:
    """Collects what is wrong in one file."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = text.splitlines()
        self._found: list[Problem] = []

    def at(self, line: int, column: int, message: str) -> None:
        """Note a problem at a place."""
        source = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        self._found.append(Problem(line, column, message, source[:200]))

    def say(self, node: Node, message: str) -> None:
        """Note a problem with a node."""
        self.at(node.line, node.column, message)

    def check(self) -> None:
        """Raise GoalFileError where anything was noted, in the order of the lines."""
        if self._found:
            ordered = sorted(dict.fromkeys(self._found), key=lambda problem: (problem.line, problem.column))
            raise GoalFileError(self.file, tuple(ordered))


def compose(data: bytes, problems: Problems) -> Node | None:
    """The root node of a document, with everything that is not allowed noted; None where there is none."""
    text = data.decode("utf-8")
    try:
        events = list(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problems.at(*place, f"not YAML: {error.problem or error.context}")
        return None
    except yaml.YAMLError as error:
        problems.at(1, 1, f"not YAML: {str(error).splitlines()[0]}")
        return None
    return _Builder(problems).build(events)


class _Builder:
    """Turns events into nodes with a stack of its own, so that depth can't exhaust Python's."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.root: Node | None = None
        self.stack: list[tuple[Sequence | Mapping, list[Node]]] = []
        self.documents = 0

    def build(self, events: list[Any]) -> Node | None:
        for event in events:
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            if isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    self.problems.at(line, column, "a second document begins here; a goal file is one document")
                    break
            elif isinstance(event, yaml.AliasEvent):
                self.problems.at(line, column, f"alias '*{event.anchor}': aliases are not allowed; write the value out")
                self._add(Scalar("", False, line, column))
            elif isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                if not self._node(event, line, column):
                    return None
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                self._close()
        return self.root

    def _node(self, event: Any, line: int, column: int) -> bool:
        if event.anchor:
            self.problems.at(line, column, f"anchor '&{event.anchor}': anchors are not allowed")
        if event.tag:
            self.problems.at(line, column, f"tag {event.tag!r}: tags are not allowed")
        if isinstance(event, yaml.ScalarEvent):
            self._add(Scalar(event.value, event.style is None, line, column))
            return True
        if len(self.stack) >= MAX_DEPTH:
            self.problems.at(line, column, f"more than {MAX_DEPTH} levels deep")
            return False
        empty = Sequence([], line, column) if isinstance(event, yaml.SequenceStartEvent) else Mapping([], line, column)
        self.stack.append((empty, []))
        return True

    def _add(self, node: Node) -> None:
        if self.stack:
            self.stack[-1][1].append(node)
        else:
            self.root = node

    def _close(self) -> None:
        node, children = self.stack.pop()
        if isinstance(node, Sequence):
            node.items.extend(children)
        else:
            self._entries(node, children)
        self._add(node)

    def _entries(self, node: Mapping, children: list[Node]) -> None:
        seen: dict[str, Scalar] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.problems.say(key, "a key must be text")
            elif key.plain and key.text == "<<":
                self.problems.say(key, "merge keys (`<<`) are not allowed; write the values out")
            elif key.text in seen:
                first = seen[key.text].line
                self.problems.say(key, f"duplicate key {key.text!r}: it stands on line {first} already")
            else:
                seen[key.text] = key
                node.entries.append((key, value))


_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")
_DOUBTFUL = re.compile(
    r"(?i:yes|no|on|off|y|n)\Z|[-+]?0[0-9_]+\Z|0[xXoObB][0-9a-fA-F_]+\Z|[-+]?[0-9][0-9_]*_[0-9_]*\Z"
    r"|[0-9]+(:[0-9]{1,2})+(\.[0-9]*)?\Z|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?\Z|[-+]?\.(?i:inf|nan)\Z"
)
_TOO_LONG = 25


def resolve(node: Scalar) -> Any:
    """What a scalar means by YAML 1.2's core schema: None, a bool, an int, a float or text.

    Raises ValueError, with words, for what YAML readers disagree about (``no``, ``0123``, ``22:30``, a date …).
    """
    text = node.text
    if not node.plain:
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in ("true", "false") and text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _DOUBTFUL.match(text):
        raise ValueError(f"{text} means different things to different YAML readers; write it in quotes: '{text}'")
    if _WHOLE.match(text) and len(text) <= _TOO_LONG:
        return int(text)
    if _NUMBER.match(text) and any(ch.isdigit() for ch in text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise ValueError(f"{text} is too large for a number")
        return value
    return text


def what(node: Node) -> str:
    """A node in words, for `found …`."""
    if isinstance(node, Mapping):
        return "a map"
    if isinstance(node, Sequence):
        return "a list"
    if node.plain and node.text == "":
        return "nothing"
    shown = node.text if len(node.text) <= 40 else node.text[:37] + "…"
    return f"{shown!r}"
