"""The table of faults in the docs is what happens, and no fault shows a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.providers.fault_table import CONNECTIONS, FAULTS, KEY, PROVIDERS, meet, table

DOCS = Path(__file__).parents[2] / "docs" / "models.md"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", [*CONNECTIONS, *FAULTS])
def test_each_fault_ends_in_one_error_in_words(name: str, provider: str) -> None:
    """One to four requests, a reason, no key, and none of Python's own names for it."""
    met = meet(name, provider)
    assert 1 <= met.requests <= 4
    assert met.reason
    assert KEY not in met.reason
    assert "Error(" not in met.reason


def test_the_docs_hold_the_table_as_it_is() -> None:
    """``python -m tests.providers.fault_table`` prints it anew."""
    text = DOCS.read_text(encoding="utf-8")
    shown = text.partition("<!-- faults -->\n")[2].partition("\n<!-- end of faults -->")[0]
    assert shown == table()
