"""Weighing outcomes against expected ids, for any of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentloop.checks.expected_ids import Seen, weigh

OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
names = st.sampled_from([f"t.py::test_{letter}" for letter in "abcd"])
outcomes = st.dictionaries(names, st.sampled_from(OUTCOMES))


@given(outcomes, st.dictionaries(names, st.sampled_from(OUTCOMES), min_size=1))
def test_expected_tests_alone_decide(seen: dict[str, str], expected: dict[str, str]) -> None:
    """Well is: each expected one passed, or did not run and did not on base either."""
    idle = ("skipped", "xfailed")
    well = all(
        seen.get(key) in ("passed", "xpassed") or (before in idle and seen.get(key) in idle)
        for key, before in expected.items()
    )
    weighed = weigh(Seen(seen), expected)
    assert (not weighed.reason) == well
    assert {*weighed.ids, *weighed.failing, *weighed.skipped} >= set(seen)


@given(outcomes, st.dictionaries(st.sampled_from(["u.py", "v.py"]), st.just("no")))
def test_without_expected_ids_one_passes_and_none_fails(seen: dict[str, str], errors: dict[str, str]) -> None:
    """Nothing collected, all skipped, or anything failing is not well."""
    good = any(value in ("passed", "xpassed") for value in seen.values())
    bad = bool(errors) or any(value in ("failed", "error") for value in seen.values())
    for expected in (None, {}):
        assert (not weigh(Seen(seen, errors), expected).reason) == (good and not bad)


def test_a_file_that_could_not_be_collected_on_base_stands_for_its_tests() -> None:
    """All that lies in it must pass, and something must."""
    expected = {"tests/a.py": "failed"}
    for inner, well in (("passed", True), ("failed", False), ("skipped", False)):
        assert (not weigh(Seen({"tests/a.py::test_x": inner}), expected).reason) == well
    assert weigh(Seen({"tests/a.pyx::test_x": "passed"}), expected).reason
    assert weigh(Seen({"tests/a.py::test_x": "passed"}, {"tests/a.py::T": "no"}), expected).reason
    assert not weigh(Seen({"tests/a.py::test_x": "passed"}), {"tests": "failed"}).reason
