"""What a run knows: facts in the order they were established, and those that were taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agentloop.core.digest import fingerprint
from agentloop.core.task import Fact, Trigger

TWICE = 2
"""Tries of a program that could not be started, after which no plan may use it."""


@dataclass
class Known:
    """`facts` stand; `measured` are the keys of those that count as movement, `ever` of all that ever did, so that a
    fact which comes and goes is news once. `lacking` maps a program to how often it could not be started."""

    facts: list[Fact] = field(default_factory=list)
    measured: set[str] = field(default_factory=set)
    ever: set[str] = field(default_factory=set)
    lacking: dict[str, int] = field(default_factory=dict)
    count: int = 0

    def note(self, fact: Fact) -> bool:
        """Take `fact` in; whether it is news that moves the run."""
        if fact.trigger == "hint":
            for name in [name for name in self.lacking if names(fact.text, name)]:
                self.found(name)
        if any(known.key == fact.key and known.measured >= fact.measured for known in self.facts):
            return False
        self.count += 1
        self.facts.append(fact.model_copy(update={"id": f"f{self.count}"}))
        if not fact.moves:
            return False
        news = fact.key not in self.ever
        self.measured.add(fact.key)
        self.ever.add(fact.key)
        return news

    def lack(self, name: str, reason: str, source: str, tick: int) -> bool:
        """`name` could not be started. The second time the fact stands, and no plan may use it; whether it is news."""
        self.lacking[name] = self.lacking.get(name, 0) + 1
        standing = self.lacking[name] >= TWICE
        ending = "no plan may use it until it runs or a person's hint names it" if standing else "once so far"
        key = lack_key(name)
        self.facts = [fact for fact in self.facts if fact.key != key]
        return self.note(
            a_fact("unavailable", f"`{name}` could not be started: {reason} ({ending})", source, tick, key=key)
        )

    def found(self, name: str) -> None:
        """`name` runs now, or a person says that it does: what was noted of it is taken back."""
        if self.lacking.pop(name, 0):
            key = lack_key(name)
            self.facts = [fact for fact in self.facts if fact.key != key]
            self.measured.discard(key)

    @property
    def standing(self) -> frozenset[str]:
        """The programs that no plan may use."""
        return frozenset(name for name, times in self.lacking.items() if times >= TWICE)


def lack_key(name: str) -> str:
    """The key of the fact that `name` could not be started."""
    return fingerprint(["unavailable", name])


def names(text: str, name: str) -> bool:
    """Whether `name` stands in `text` as a word of its own."""
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", text) is not None


def a_fact(trigger: Trigger, text: str, source: str, tick: int, *, key: str = "", measured: bool | None = None) -> Fact:
    """A fact that follows from an event. With a `key` (a failure's fingerprint) it is measured unless it is said
    otherwise."""
    return Fact(
        key=key or fingerprint([trigger, text]),
        text=text,
        measured=bool(key) if measured is None else measured,
        trigger=trigger,
        source=source,
        tick=tick,
    )
