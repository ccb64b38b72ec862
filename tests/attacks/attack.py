"""One attack as data: what the candidate does, how the run must end, and what must be the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.arena import FIXTURE, Arena, Call, Seen
from tests.attacks.outcomes import LAYERS


@dataclass(frozen=True)
class Attack:
    """`id` is the catalogue's number and a word; one of `extra-…` is not in the catalogue.

    `act` is what the executor does; empty where the test named `test` plays the case itself. `files` go over the
    fixture's, `goal` over its goal. `layer` is a key of LAYERS; a case that gets through has the layer `none`, and
    `strength` is then the most that its verdict may claim.
    """

    id: str
    title: str
    outcome: str
    layer: str
    act: Sequence[Call] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    goal: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    strength: str = ""
    slow: bool = False
    test: str = ""

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The line of the table."""
        layer = f"none: declared checks passed, strength {self.strength}" if self.strength else self.layer
        return (self.id, self.title, self.outcome, layer)


def each(cases: Iterable[Attack]) -> pytest.MarkDecorator:
    """Parametrizes a test over those cases that are played by their `act`."""
    return pytest.mark.parametrize(
        "attack",
        [
            pytest.param(case, id=case.id, marks=[pytest.mark.slow] if case.slow else [])
            for case in cases
            if not case.test
        ],
    )


def prove(attack: Attack, home: Path) -> Seen:
    """Play the case and hold it against what it says. Without a word of the case there is no guard: it takes time."""
    seen = Arena(home, {**FIXTURE, **attack.files}, {"guard": None, **attack.goal}).play(attack.act)
    seen.expect(attack.outcome, *attack.words)
    said = seen.rulings[-1].reason if seen.rulings else seen.err
    assert LAYERS[attack.layer].search(said), said
    if attack.strength:
        assert {result.strength for result in seen.results} == {attack.strength}
    return seen
