"""A planted test that must fail: where it passes, the code under test has disarmed the test runner."""

from __future__ import annotations

import posixpath
import random
from collections.abc import Container

_NOUNS = ("totals", "labels", "ranges", "limits", "orders", "tokens", "routes", "layout", "parser", "values")
_ADJECTIVES = ("nested", "empty", "sorted", "merged", "signed", "shared", "cached", "joined", "mapped", "scaled")


def canary_name(folder: str, taken: Container[str], rng: random.Random | None = None) -> str:
    """A path for the canary in `folder` ('' is the root) with a name like any other test's, not in `taken`.

    `taken` holds file names without their folder: two test modules of one name can get in each other's way.
    """
    # The name is to be hard to guess for code that runs beside it, so by default it is drawn by the system.
    rng = rng or random.SystemRandom()
    pairs = [f"test_{first}_{second}.py" for first in _ADJECTIVES for second in _NOUNS]
    free = [name for name in pairs if name not in taken] or [f"test_values_{rng.randrange(10**9)}.py"]
    return posixpath.join(folder, rng.choice(free))


def canary_text(path: str, rng: random.Random | None = None) -> str:
    """A test file with one test that fails by an ordinary assertion."""
    rng = rng or random.SystemRandom()
    name = posixpath.basename(path).removesuffix(".py")
    first = rng.randrange(10, 90)
    return f"def {name}():\n    total = sum([{first}, 3])\n    assert total == {first + 4}\n"
