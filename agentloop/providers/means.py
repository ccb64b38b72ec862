"""What a provider without an address of its own may need to make a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentloop.core.cassette import Cassette
from agentloop.errors import Refused


def no_cassette(name: str) -> Cassette:
    """Where no runs can be read. Raises Refused."""
    raise Refused(f"models: no run is known by the name {name!r} here", "name one that `agentloop list` shows")


@dataclass(frozen=True)
class Means:
    """`environ` holds the keys; programs start in the folder `home`; `cassette` finds a recorded run by its name."""

    environ: Mapping[str, str]
    home: str = "."
    cassette: Callable[[str], Cassette] = no_cassette
