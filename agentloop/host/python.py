"""Finds the interpreter that runs Python checks, and makes it look at the tree under test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentloop.core.digest import fingerprint
from agentloop.errors import Refused
from agentloop.ports import Python

KIT = Path(__file__).parent.parent / "kit"
"""The folder of scripts that run in the user's interpreter."""

OLDEST = (3, 9)
PROBE_SECONDS = 60.0
REMEDY = "set `python:` to the interpreter, or the virtual environment, that runs your tests"


@dataclass(frozen=True)
class Probe:
    """What an interpreter said of itself. `editable` are the paths where editable installs point."""

    executable: str
    version: tuple[int, int, int]
    prefixes: tuple[str, ...]
    path: tuple[str, ...]
    pth: tuple[str, ...]
    finders: tuple[str, ...]
    fingerprint: str


def find_python(wanted: str | None, repo: Path | None, environ: Mapping[str, str], own: str = sys.executable) -> Python:
    """The interpreter for a run: `wanted`, else ``$VIRTUAL_ENV``, else ``.venv`` of the repo, else `own`.

    `wanted` is a name on PATH, or a path (relative to `repo`) of an interpreter or a virtual environment.
    Raises Refused where what was chosen does not run or is older than Python 3.9.
    """
    chosen, why = _chosen(wanted, repo, environ, own)
    found = probe(chosen, why, environ)
    checkout = os.path.realpath(repo) if repo else None
    return Python(
        executable=found.executable,
        version=".".join(map(str, found.version)),
        environ=_environ(checkout, _relatives(found, checkout)),
        readable=readable(found, checkout, environ.get("HOME", "")),
        fingerprint=found.fingerprint,
    )


def probe(executable: str, why: str, environ: Mapping[str, str]) -> Probe:
    """Ask an interpreter, once, by running it. `why` says where its name comes from. Raises Refused."""
    env = {key: environ[key] for key in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH") if key in environ}
    # By -c, because a script's own folder would be on its sys.path.
    argv = [executable, "-c", (KIT / "python_probe.py").read_text("utf-8")]
    try:
        done = subprocess.run(argv, capture_output=True, env=env, cwd="/", timeout=PROBE_SECONDS, check=False)
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        version = (int(said["version"][0]), int(said["version"][1]), int(said["version"][2]))
    except OSError as error:
        raise Refused(f"{executable} ({why}) does not run: {error.strerror or error}", REMEDY) from None
    except subprocess.TimeoutExpired:
        raise Refused(f"{executable} ({why}) gave no answer in {PROBE_SECONDS:g} s", REMEDY) from None
    except (ValueError, LookupError, TypeError):
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()
        what = last[-1] if last else f"exit code {done.returncode}"
        raise Refused(f"{executable} ({why}) does not run as a Python interpreter: {what}", REMEDY) from None
    if version[:2] < OLDEST:
        spelled = ".".join(map(str, version))
        raise Refused(f"{executable} ({why}) is Python {spelled}; 3.9 or newer is needed", REMEDY)
    return Probe(
        executable=said["executable"] or executable,
        version=version,
        prefixes=tuple(said["prefixes"]),
        path=tuple(said["path"]),
        pth=tuple(said["pth"]),
        finders=tuple(said["finders"]),
        fingerprint=fingerprint([said["build"], said["packages"]]),
    )


def readable(found: Probe, checkout: str | None, home: str) -> tuple[str, ...]:
    """The folders that the interpreter needs, each as it is spelled and with links resolved, none twice.

    A sandbox that mounts only these must find the standard library, the packages, and every link on the way from
    ``.venv/bin/python`` to the program. Neither the user's home as a whole nor the checkout's own folders are among
    them: there the tree under test takes the checkout's place.
    """
    packages = [path for path in (*found.path, *found.pth, *found.finders) if not _of_checkout(path, found, checkout)]
    wanted = [*found.prefixes, str(KIT), *packages]
    wanted += [os.path.dirname(link) for link in _links(found.executable)]
    spelled = {os.path.normpath(path) for path in wanted} | {os.path.realpath(path) for path in wanted}
    folders = sorted(path if os.path.isdir(path) else os.path.dirname(path) for path in spelled if os.path.exists(path))
    kept: list[str] = []
    for folder in dict.fromkeys(folders):
        covers_home = bool(home) and _inside(home, folder)
        if not covers_home and not any(_inside(folder, other) for other in kept):
            kept.append(folder)
    return tuple(kept)


def _chosen(wanted: str | None, repo: Path | None, environ: Mapping[str, str], own: str) -> tuple[str, str]:
    """The interpreter's path, and where it was named."""
    if wanted:
        path = Path(wanted).expanduser()
        if len(path.parts) == 1 and not (repo and (repo / path).is_dir()):
            found = shutil.which(wanted, path=environ.get("PATH"))
            if found is None:
                raise Refused(f"python: {wanted!r} is not on PATH", REMEDY)
            return found, "`python:` of the goal"
        return _interpreter((repo or Path.cwd()) / path), "`python:` of the goal"
    if active := environ.get("VIRTUAL_ENV"):
        return _interpreter(Path(active)), "$VIRTUAL_ENV"
    if repo and (repo / ".venv").is_dir():
        return _interpreter(repo / ".venv"), ".venv of the repository"
    return own, "agentloop's own"


def _interpreter(path: Path) -> str:
    """`path` itself, or the interpreter of the virtual environment that it is. Links are left as they are."""
    path = Path(os.path.abspath(path))
    return str(path / "bin" / "python" if path.is_dir() else path)


def _links(executable: str) -> Iterable[str]:
    """The path of the executable and of each link on the way to the program itself."""
    for _ in range(40):  # as many as the kernel follows
        yield executable
        if not os.path.islink(executable):
            return
        executable = os.path.join(os.path.dirname(executable), os.readlink(executable))


def _relatives(found: Probe, checkout: str | None) -> tuple[str, ...]:
    """The folders of the checkout that .pth files put on the path, relative to it; a virtual environment's own
    folders are none of them."""
    if checkout is None:
        return ()
    mine = [os.path.realpath(path) for path in (*found.pth, *found.path) if _of_checkout(path, found, checkout)]
    return tuple(dict.fromkeys(os.path.relpath(path, checkout) for path in mine))


def _of_checkout(path: str, found: Probe, checkout: str | None) -> bool:
    real, prefix = os.path.realpath(path), os.path.realpath(found.prefixes[0])
    return checkout is not None and _inside(real, checkout) and not _inside(real, prefix)


def _environ(checkout: str | None, relatives: tuple[str, ...]) -> Callable[[str], dict[str, str]]:
    def environ(tree: str) -> dict[str, str]:
        variables = {"PYTHONPATH": str(KIT), "AGENTLOOP_TREE": tree}
        if checkout:
            variables |= {"AGENTLOOP_CHECKOUT": checkout, "AGENTLOOP_PATHS": os.pathsep.join(relatives)}
        return variables

    return environ


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
