"""How far a search is: told from the rows that are there, with no row of its own anywhere."""

from __future__ import annotations

from pathlib import Path

from agentloop.workers.repair.progress import counted


def test_the_last_count_is_told_at_the_end_even_where_the_block_fails(tmp_path: Path) -> None:
    """Whoever waits sees what was tried up to the end."""
    results, heard = tmp_path / "results.jsonl", list[int]()
    try:
        with counted(results, heard.append):
            results.write_text("{}\n{}\n{}\n")
            raise TimeoutError
    except TimeoutError:
        pass
    assert heard[-1] == 3
    assert list(tmp_path.iterdir()) == [results]
