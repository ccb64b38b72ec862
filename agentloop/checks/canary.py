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


_SHAPES = (
    "    {name} = sum([{first}, {step}])\n    assert {name} == {first} + {wrong}\n",
    "    assert sorted([{second}, {first}]) == [{second}, {first}, {step}]\n",
    "    {name} = {{'{key}': {first}}}\n    assert {name}['{key}'] + {step} == {second}\n",
    "    {name} = [{first}, {second}]\n    assert len({name}) == {wrong}\n",
    "    assert '{key} {name}'.split() == ['{key}', '{first}']\n",
    "    for {name} in ({first}, {second}):\n        assert {name} % {step} == {wrong}\n",
)
"""Bodies that fail: no word or number stands in all of them, so there is nothing to look for."""


def canary_text(path: str, rng: random.Random | None = None) -> str:
    """A test file with one test that fails by an ordinary assertion."""
    rng = rng or random.SystemRandom()
    stem = posixpath.basename(path).removesuffix(".py")
    words = [word for word in (*_NOUNS, *_ADJECTIVES) if word not in stem.split("_")]
    called, name, key = rng.sample(words, 3)
    first, step = rng.randrange(10, 50), rng.randrange(3, 9)
    numbers = {"first": first, "second": first + step + rng.randrange(20, 40), "step": step}
    body = rng.choice(_SHAPES).format(name=name, key=key, wrong=step + rng.randrange(1, 30), **numbers)
    return f"def test_{called}_{rng.choice(words)}():\n{body}"
