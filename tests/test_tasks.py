"""The example goals end as their stories say, with no model, no key and no network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TASKS = Path(__file__).parent.parent / "tasks"
SOLVED = {
    "pagination": "storefront/paging.py",
    "rate-limiter": "gateway/limiter.py",
    "invoice": "billing/invoice.py",
}


def run(task: str, runs: Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    argv = [sys.executable, "-m", "agentloop", "run", str(TASKS / task / "goal.yaml"), "--runs", str(runs)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600)
    (folder,) = runs.iterdir()
    return done, folder


@pytest.mark.parametrize(
    "task", ["pagination", *(pytest.param(task, marks=pytest.mark.slow) for task in SOLVED if task != "pagination")]
)
def test_a_small_bug_is_found_and_mended(task: str, tmp_path: Path) -> None:
    """Exit 0; the patch is one line of the file at fault and applies; the example itself is as it was."""
    before = {path: path.read_bytes() for path in (TASKS / task).rglob("*") if path.is_file()}
    done, folder = run(task, tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("run ")
    assert "planner rules (no model), executor repair (no model), sandbox" in done.stderr.splitlines()[0]
    patch = folder / "patch.diff"
    assert done.stdout.strip() == str(patch)
    text = patch.read_text()
    assert f"+++ b/{SOLVED[task]}" in text
    assert sum(line.startswith("+") and not line.startswith("+++") for line in text.splitlines()) == 1
    subprocess.run(["git", "apply", "--check", str(patch)], cwd=TASKS / task / "repo", check=True)
    assert {path: path.read_bytes() for path in (TASKS / task).rglob("*") if path.is_file()} == before
    assert json.loads((folder / "result.json").read_text())["end"] == "satisfied"


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_a_bug_that_needs_thought_ends_with_a_useful_summary(tmp_path: Path) -> None:
    """Exit 11: what was searched, the most suspicious lines, and what to do instead; an empty patch."""
    done, folder = run("needs-a-model", tmp_path / "runs")
    assert done.returncode == 11, done.stderr
    summary = (folder / "summary.md").read_text()
    assert "NoViablePlan" in summary
    assert "most suspicious: checkout/" in summary
    assert "under `models:`" in summary
    assert (folder / "patch.diff").read_bytes() == b""
