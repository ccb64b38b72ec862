"""Planted tests look like any other, differ from run to run, and all of them fail when they are run."""

from __future__ import annotations

import ast
import random
import re

import pytest

from agentloop.checks.canary import canary_name, canary_text

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_planted_test_fails_by_an_ordinary_assertion(seed: int) -> None:
    """The text is Python with one test, and running the test raises AssertionError and nothing else."""
    text = canary_text("tests/test_nested_totals.py", random.Random(seed))
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    space: dict[str, object] = {}
    exec(text, space)
    with pytest.raises(AssertionError):
        space[function.name]()  # type: ignore[operator]


def test_names_are_ordinary_and_neither_they_nor_the_texts_can_be_looked_for() -> None:
    """Names and texts change, the function is not called like the file, and no word stands in all of them."""
    names = {canary_name("tests", (), random.Random(seed)) for seed in SEEDS}
    texts = [canary_text("tests/test_nested_totals.py", random.Random(seed)) for seed in SEEDS]
    assert len(names) > 20
    assert all(re.fullmatch(r"tests/test_[a-z]+_[a-z]+\.py", name) for name in names)
    assert len(set(texts)) > 30
    words = [set(re.findall(r"\w+", text)) - {"def", "assert"} for text in texts]
    assert set.intersection(*words) == set()
    assert not any("test_nested_totals" in text or "canary" in text for text in texts)


def test_a_name_that_is_taken_is_not_used() -> None:
    """Two test modules of one name can get in each other's way."""
    all_names = {canary_name("", (), random.Random(seed)) for seed in range(2_000)}
    assert canary_name("", all_names) not in all_names
