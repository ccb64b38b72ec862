"""Run folders: made, listed and found by name."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from agentloop.errors import Refused
from agentloop.host.log import FileLog
from agentloop.host.runs import find_run, list_runs, new_run, runs_root

NOW = 1_796_086_923_456  # 2026-12-01 01:02:03.456 UTC


def made(root: Path, slug: str, now: int = NOW) -> str:
    """A run with a log, begun at `now`."""
    name, folder = new_run(root, slug, lambda: now)
    FileLog.create(folder, lambda: now).close()
    return name


def test_an_id_says_when_the_run_began_and_what_it_is_about(tmp_path: Path) -> None:
    """Date, time to the minute, six hex digits, then the slug as far as it fits a file name."""
    name, folder = new_run(tmp_path / "runs", "Orders: charged TWICE! ../é", lambda: NOW)
    assert re.fullmatch(r"20261201-0102-0d80[0-9a-f]{2}-orders-charged-twice", name)
    assert folder == tmp_path / "runs" / name
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_run_without_a_slug_has_a_short_id(tmp_path: Path) -> None:
    """No dash is left at the end."""
    assert re.fullmatch(r"20261201-0102-0d80[0-9a-f]{2}", new_run(tmp_path, "", lambda: NOW)[0])


def test_ids_sort_by_the_time_their_runs_began(tmp_path: Path) -> None:
    """Also within a minute, and over the turn of a minute, hour and year."""
    moments = [NOW, NOW + 7, NOW + 5_000, NOW + 60_000, NOW + 3_600_000, NOW + 40 * 86_400_000]
    names = [made(tmp_path, "x", now) for now in moments]
    assert [folder.name for folder in list_runs(tmp_path)] == names


def test_many_runs_of_one_millisecond_get_folders_of_their_own(tmp_path: Path) -> None:
    """A name that is taken is not used twice, whoever took it."""
    assert len({new_run(tmp_path, "x", lambda: NOW)[0] for _ in range(60)}) == 60


def test_when_no_name_is_free_the_run_is_refused(tmp_path: Path) -> None:
    """It does not try for ever."""
    for digits in range(256):
        (tmp_path / f"20261201-0102-0d80{digits:02x}").mkdir()
    with pytest.raises(Refused, match="no free name"):
        new_run(tmp_path, "", lambda: NOW)


def test_only_folders_with_a_log_are_runs(tmp_path: Path) -> None:
    """Stray files, and a folder whose run never began, are left out."""
    name = made(tmp_path, "a")
    new_run(tmp_path, "b", lambda: NOW)
    (tmp_path / "notes.txt").write_text("x")
    assert [folder.name for folder in list_runs(tmp_path)] == [name]


def test_a_run_is_found_by_its_name_and_by_a_prefix_that_only_it_has(tmp_path: Path) -> None:
    """A whole name wins even where it is the start of another."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one-more").mkdir()
    (tmp_path / "two").mkdir()
    for name in ("one", "one-more", "two"):
        FileLog.create(tmp_path / name, lambda: NOW).close()
    assert find_run(tmp_path, "one") == tmp_path / "one"
    assert find_run(tmp_path, "one-") == tmp_path / "one-more"
    assert find_run(tmp_path, "t") == tmp_path / "two"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("2026", "2 runs in .* start with '2026'(.|\n)*say which: 2026.*-beta, 2026.*-alpha"),
        ("alpha", "is called 'alpha'(.|\n)*near: 2026.*-alpha"),
        ("20261201-0102-0d80zz-alphs", "near: .*-alpha"),
        ("nothing", "the newest: 2026.*-beta"),
        ("", "is called ''"),
        ("..", "is called '..'"),
    ],
)
def test_a_name_that_fits_no_run_or_several_is_refused_with_near_ones(tmp_path: Path, name: str, says: str) -> None:
    """The refusal helps to say it right."""
    made(tmp_path, "alpha")
    made(tmp_path, "beta", NOW + 1)
    with pytest.raises(Refused) as caught:
        find_run(tmp_path, name)
    assert re.search(says, str(caught.value))


def test_the_default_root_is_the_users_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not exist: then there are no runs yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = runs_root(None)
    assert root == tmp_path / "state" / "agentloop" / "runs"
    assert list_runs(root) == []
    made(root, "x")
    assert len(list_runs(runs_root(None))) == 1
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_a_named_root_that_is_missing_is_refused_when_its_runs_are_asked_for(tmp_path: Path) -> None:
    """A typing error must not look like an empty list."""
    root = runs_root(str(tmp_path / "tpyo"))
    with pytest.raises(Refused, match="tpyo does not exist"):
        list_runs(root)
    with pytest.raises(Refused, match="tpyo does not exist"):
        find_run(root, "x")


def test_a_root_that_is_no_folder_or_takes_no_folder_is_refused(tmp_path: Path) -> None:
    """The refusal names the place and what would help."""
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match=r"file is not a folder(.|\n)*--runs DIR"):
        runs_root(str(tmp_path / "file"))
    with pytest.raises(Refused, match=r"no run can be kept in .*(.|\n)*--runs DIR"):
        new_run(tmp_path / "file" / "runs", "x", lambda: NOW)
    with pytest.raises(Refused, match="no run can be kept in /proc/self/runs"):
        new_run(Path("/proc/self/runs"), "x", lambda: NOW)
