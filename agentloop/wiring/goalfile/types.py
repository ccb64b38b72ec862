"""What values of a goal file may be: each type reads a node, and tells its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from agentloop.wiring.goalfile.nodes import Mapping, Node, Problems, Scalar, Sequence, resolve, what

MISSING: Any = object()
"""What a type returns for a node that it has noted a problem about."""


class Type(Protocol):
    """Reads a node into a value, or notes what is wrong and returns MISSING."""

    def read(self, node: Node, problems: Problems) -> Any:
        """The value of `node`."""

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the same."""


def scalar(node: Node, problems: Problems, wanted: str) -> Any:
    """The resolved value of a scalar node; MISSING, with a problem noted, for anything else."""
    if not isinstance(node, Scalar):
        problems.say(node, f"found {what(node)}; {wanted} is right here")
        return MISSING
    try:
        return resolve(node)
    except ValueError as error:
        problems.say(node, str(error))
        return MISSING


@dataclass(frozen=True)
class Text:
    """Text that is not empty. `check` says what is wrong with it, or nothing."""

    longest: int = 2_000
    check: Callable[[str], str | None] = lambda text: None

    def read(self, node: Node, problems: Problems) -> Any:
        """The text; a plain number, boolean or null is told to be put in quotes."""
        value = scalar(node, problems, "text")
        if value is MISSING:
            return MISSING
        if value is None or value == "":
            problems.say(node, "found nothing; text is right here")
        elif not isinstance(value, str):
            problems.say(node, f"found {what(node)}, text is right here; write it in quotes")
        elif len(value) > self.longest:
            problems.say(node, f"{len(value)} characters; at most {self.longest}")
        elif bad := [ch for ch in value if ord(ch) < 32 and ch not in "\n\t"]:
            problems.say(node, f"a control character (\\x{ord(bad[0]):02x}) stands in the text; take it out")
        elif why := self.check(value):
            problems.say(node, why)
        else:
            return value
        return MISSING

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string", "minLength": 1, "maxLength": self.longest}


@dataclass(frozen=True)
class Number:
    """A number, whole or not, of at least `least` (more than it with `above`); `null` means none if `empty`."""

    least: float = 0
    whole: bool = False
    above: bool = False
    empty: bool = False
    most: float = 1e15

    def read(self, node: Node, problems: Problems) -> Any:
        """The number, or None."""
        kind = "a whole number" if self.whole else "a number"
        bound = f"{kind} {'above' if self.above else 'of at least'} {self.least:g}"
        value = scalar(node, problems, bound)
        if value is MISSING or (value is None and self.empty):
            return value
        right = isinstance(value, int) if self.whole else isinstance(value, (int, float))
        if not right or isinstance(value, bool):
            problems.say(node, f"found {what(node)}; {bound} is right here")
        elif value < self.least or (self.above and value == self.least) or value > self.most:
            problems.say(
                node, f"{node.text if isinstance(node, Scalar) else value} is not possible; {bound} is right here"
            )
        else:
            return value if self.whole else float(value)
        return MISSING

    def schema(self) -> dict[str, Any]:
        """A number within the bounds."""
        kind: Any = "integer" if self.whole else "number"
        bound = "exclusiveMinimum" if self.above else "minimum"
        return {"type": [kind, "null"] if self.empty else kind, bound: self.least, "maximum": self.most}


@dataclass(frozen=True)
class Choice:
    """One of some words; `later` are known words that are not available yet."""

    words: tuple[str, ...]
    later: tuple[str, ...] = ()

    def read(self, node: Node, problems: Problems) -> Any:
        """The word."""
        if not isinstance(node, Scalar):
            problems.say(node, f"found {what(node)}; one of {', '.join(self.words)} is right here")
        elif node.text in self.later:
            problems.say(
                node, f"{node.text!r} is not available yet in this version; available: {', '.join(self.words)}"
            )
        elif node.text not in self.words:
            problems.say(node, f"{node.text!r} is unknown; {near(node.text, self.words)}")
        else:
            return node.text
        return MISSING

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Flag:
    """``true`` or ``false``."""

    def read(self, node: Node, problems: Problems) -> Any:
        """The truth value."""
        value = scalar(node, problems, "true or false")
        if value is MISSING or isinstance(value, bool):
            return value
        problems.say(node, f"found {what(node)}; true or false is right here")
        return MISSING

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Many:
    """A list of one type, of at least `least` and at most `most` items."""

    item: Type
    least: int = 0
    most: int = 200

    def read(self, node: Node, problems: Problems) -> Any:
        """The items as a tuple; those with problems are left out."""
        if not isinstance(node, Sequence):
            problems.say(node, f"found {what(node)}; a list is right here (each item behind `- `)")
            return MISSING
        if not self.least <= len(node.items) <= self.most:
            problems.say(node, f"{len(node.items)} items; between {self.least} and {self.most} are possible")
        values = [self.item.read(item, problems) for item in node.items]
        return tuple(value for value in values if value is not MISSING)

    def schema(self) -> dict[str, Any]:
        """An array."""
        return {"type": "array", "items": self.item.schema(), "minItems": self.least, "maxItems": self.most}


@dataclass(frozen=True)
class Key:
    """A key of a record: its type, its default in words, what it means, and whether it must be there.

    `later` marks a key that is known but not available yet.
    """

    name: str
    type: Type
    default: str
    meaning: str
    required: bool = False
    later: bool = False


@dataclass(frozen=True)
class Record:
    """A map with known keys."""

    keys: tuple[Key, ...]

    def read(self, node: Node, problems: Problems) -> Any:
        """Name → value of the keys that are there and right; MISSING where a required one is not."""
        if not isinstance(node, Mapping):
            problems.say(node, f"found {what(node)}; a map of {', '.join(self._names()[:4])} … is right here")
            return MISSING
        known = {key.name: key for key in self.keys}
        values: dict[str, Any] = {}
        for name, value in node.entries:
            key = known.get(name.text)
            if key is None:
                problems.say(name, f"unknown key {name.text!r}; {near(name.text, self._names())}")
            elif key.later:
                problems.say(name, f"`{key.name}` is not available yet in this version; take it out")
            else:
                read = key.type.read(value, problems)
                if read is not MISSING:
                    values[key.name] = read
        given = {name.text for name, _ in node.entries}
        for key in self.keys:
            if key.required and key.name not in given:
                problems.say(node, f"`{key.name}` is missing: {key.meaning}")
        whole = all(key.name in values for key in self.keys if key.required)
        return values if whole else MISSING

    def _names(self) -> list[str]:
        return [key.name for key in self.keys]

    def schema(self) -> dict[str, Any]:
        """An object without other keys."""
        properties = {key.name: {"description": key.meaning, **key.type.schema()} for key in self.keys if not key.later}
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required := [key.name for key in self.keys if key.required]:
            schema["required"] = required
        return schema


@dataclass(frozen=True)
class Named:
    """A map from names to one type; `names` limits which."""

    value: Type
    names: tuple[str, ...] = ()

    def read(self, node: Node, problems: Problems) -> Any:
        """Name → value."""
        if not isinstance(node, Mapping):
            problems.say(node, f"found {what(node)}; a map is right here")
            return MISSING
        values = {}
        for name, held in node.entries:
            if self.names and name.text not in self.names:
                problems.say(name, f"{name.text!r} is unknown; {near(name.text, self.names)}")
                continue
            read = self.value.read(held, problems)
            if read is not MISSING:
                values[name.text] = read
        return values

    def schema(self) -> dict[str, Any]:
        """An object of values of one type."""
        inner = self.value.schema()
        if self.names:
            return {"type": "object", "properties": dict.fromkeys(self.names, inner), "additionalProperties": False}
        return {"type": "object", "additionalProperties": inner}


def near(name: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint at what was meant."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
