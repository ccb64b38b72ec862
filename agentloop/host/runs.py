"""Where runs lie: one folder each, named so that they sort by the time they began."""

from __future__ import annotations

import difflib
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from agentloop.errors import Refused
from agentloop.host.log import NAME

_TRIES = 100
_SHOWN = 5


def runs_root(option: str | None) -> Path:
    """The folder that holds all runs: `option` (``--runs DIR``), else the user's state folder. It need not exist.

    Raises Refused where something other than a folder has that name.
    """
    root = Path(option).expanduser().absolute() if option else _default()
    if root.exists() and not root.is_dir():
        raise Refused(f"{root} is not a folder", "runs need a folder: give one with --runs DIR")
    return root


def new_run(root: Path, slug: str, clock: Callable[[], int]) -> tuple[str, Path]:
    """A run's id and its new, empty folder (mode 0700) under `root`, which is made if need be.

    The id is ``20261201-0102-3fa2c1-<slug>``: UTC date and time, four hex digits for the millisecond of the
    minute, two at random, and what of `slug` fits a file name. `clock` gives milliseconds since 1970.
    Raises Refused where the folder can't be made.
    """
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(_TRIES):
            name = _name(clock(), slug)
            try:
                (root / name).mkdir(mode=0o700)
            except FileExistsError:
                continue
            return name, root / name
    except OSError as error:
        raise Refused(
            f"no run can be kept in {root}: {error.strerror}", "name a folder you may write to with --runs DIR"
        ) from error
    raise Refused(f"no free name for a run in {root}", "try again")


def list_runs(root: Path) -> list[Path]:
    """The folders of all runs under `root`, oldest first; folders without a log are left out.

    Raises Refused where `root` can't be read. That the default folder is missing means: no runs yet.
    """
    try:
        return sorted(folder for folder in root.iterdir() if (folder / NAME).is_file())
    except FileNotFoundError as error:
        if root == _default():
            return []
        raise Refused(f"{root} does not exist", "name the folder that holds the runs with --runs DIR") from error
    except OSError as error:
        raise Refused(f"the runs in {root} can't be listed: {error.strerror}") from error


def find_run(root: Path, name: str) -> Path:
    """The folder of the run called `name`, or the only one whose name starts so.

    Raises Refused, with the names that come near, where there is none or more than one.
    """
    folders = {folder.name: folder for folder in list_runs(root)}
    if name in folders:
        return folders[name]
    fitting = [run for run in folders if name and run.startswith(name)]
    if len(fitting) == 1:
        return folders[fitting[0]]
    if fitting:
        raise Refused(f"{len(fitting)} runs in {root} start with {name!r}", f"say which: {_listed(fitting)}")
    near = [run for run in folders if name and name in run] or difflib.get_close_matches(name, folders, _SHOWN, 0.5)
    hint = f"near: {_listed(near)}" if near else f"the newest: {_listed(list(folders))}" if folders else "it is empty"
    raise Refused(f"no run in {root} is called {name!r}", hint)


def _default() -> Path:
    return Path(platformdirs.user_state_dir("agentloop")) / "runs"


def _name(now: int, slug: str) -> str:
    began = datetime.fromtimestamp(now / 1000, UTC)
    fine = f"{now % 60_000:04x}{secrets.token_hex(1)}"
    words = re.sub(r"[^a-z0-9]+", "-", slug.lower())[:30].strip("-")
    return "-".join(filter(None, (began.strftime("%Y%m%d-%H%M"), fine, words)))


def _listed(names: list[str]) -> str:
    """The newest few of `names`, for people."""
    more = f" and {len(names) - _SHOWN} older" if len(names) > _SHOWN else ""
    return ", ".join(names[-_SHOWN:][::-1]) + more
