"""What a user may say beside the goal: on the command line, or as arguments of `agentloop.run`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentloop.core.events import Event
from agentloop.core.process import SandboxLevel


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Options:
    """`runs` is the folder that holds all runs (default: the user's state folder); `sandbox` overrides the goal's.

    `cassette` names a run whose recorded replies stand in for all models. `dirty` takes uncommitted changes along,
    `apply` brings the result into the checkout. `watch` is called with each event as it is recorded, `say` with
    lines for people, `pulse` with a role and the characters so far while a reply arrives (of a search: candidates).
    """

    runs: str | None = None
    sandbox: SandboxLevel | None = None
    cassette: str | None = None
    dirty: bool = False
    apply: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    clock: Callable[[], int] = now
    watch: Callable[[Event], None] = field(default=lambda event: None)
    say: Callable[[str], None] = field(default=lambda line: None)
    pulse: Callable[[str, int], None] = field(default=lambda role, characters: None)
