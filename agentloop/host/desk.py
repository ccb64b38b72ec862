"""A worker's place: a tree of its own to read, change and run commands in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from agentloop.core.process import Ran
from agentloop.core.protect import git_like
from agentloop.core.tree import Tree
from agentloop.errors import TooMuch
from agentloop.host.bench import Benches
from agentloop.host.git.plumbing import AUTHOR, ENV, SAFE, binary
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import DeskError

LITTER = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
"""What running things leaves behind; it is no part of a change unless base has it too."""

MAX_READ = 8 * 1024 * 1024


class DiskDesk:
    """The Desk port in a folder on disk. No path that a worker gives is followed out of it or through a link."""

    def __init__(self, workspace: DiskWorkspace, benches: Benches, folder: str, scratch: str, tree: Tree) -> None:
        self._workspace, self._benches = workspace, benches
        self._folder, self._scratch, self._tree = folder, scratch, tree
        self._with_git = _one_commit(folder)
        self._last = tree

    @property
    def folder(self) -> str:
        """Where the tree lies."""
        return self._folder

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises DeskError for a path outside, a link, a folder or a missing file."""
        parent, name = self._parent(path, make=False)
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
        except OSError as error:
            raise DeskError(_words(path, error)) from error
        finally:
            os.close(parent)
        try:
            with open(fd, "rb") as file:
                data = file.read(MAX_READ + 1)
        except OSError as error:
            raise DeskError(_words(path, error)) from error
        if len(data) > MAX_READ:
            # Half a file would look like a whole one, and an edit would write it back cut.
            raise DeskError(f"{path!r} has more than {MAX_READ} bytes; look at parts of it with `run` (head, sed -n)")
        return data

    def write(self, path: str, data: bytes) -> None:
        """Replace or create a file, folders included. Raises DeskError for a path outside or behind a link."""
        parent, name = self._parent(path, make=True)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            fd = os.open(name, flags, 0o644, dir_fd=parent)
            with open(fd, "wb") as file:
                file.write(data)
        except OSError as error:
            raise DeskError(_words(path, error)) from error
        finally:
            os.close(parent)

    def files(self) -> list[str]:
        """All paths, sorted; what running things left behind is not among them."""
        found = []
        for folder, folders, names in os.walk(self._folder):
            prefix = os.path.relpath(folder, self._folder).replace(os.sep, "/") + "/"
            prefix = "" if prefix == "./" else prefix
            folders[:] = [name for name in folders if not self._skip(prefix + name)]
            found += [prefix + name for name in names if not self._skip(prefix + name)]
        return sorted(found)

    def run(self, argv: tuple[str, ...], timeout: float) -> Ran:
        """Run a command in the sandbox, with the tree as working directory."""
        return self._benches.launcher(self._folder, self._scratch)(argv, timeout, {})

    def snapshot(self) -> Tree:
        """The tree as it is now, kept. Raises DeskError where there is too much to keep: then all is as it was last."""
        try:
            self._last = self._workspace.capture(self._folder, self._skip)
        except TooMuch as much:
            self.restore(self._last.digest)
            raise DeskError(f"{much.what}; that is too much, so all files are again as they were before") from None
        return self._last

    def restore(self, digest: str) -> None:
        """Make the folder hold exactly that tree."""
        self._last = self._workspace.tree(digest)
        self._workspace.refill(self._folder, self._last)
        self._with_git = _one_commit(self._folder)

    def _skip(self, path: str) -> bool:
        if path == ".git":
            return self._with_git
        name = path.rpartition("/")[2]
        return name in LITTER and not any(held.startswith(path + "/") for held in self._tree)

    def _parent(self, path: str, make: bool) -> tuple[int, str]:
        """An open descriptor of the folder that `path` lies in, reached without following a link, and its name."""
        parts = path.split("/")
        if path.startswith("/") or any(part in ("", ".", "..") for part in parts) or "\0" in path:
            raise DeskError(f"{path!r} is not a path inside the repository; use a relative one such as 'src/app.py'")
        if git_like(path):
            raise DeskError(f"{path!r} has a name that git uses for itself; it can't be read or written")
        fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in parts[:-1]:
            try:
                if make and not _exists(part, fd):
                    os.mkdir(part, 0o755, dir_fd=fd)
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            except OSError as error:
                raise DeskError(_words(path, error)) from error
            finally:
                os.close(fd)
            fd = inner
        return fd, parts[-1]


@contextmanager
def open_desk(workspace: DiskWorkspace, benches: Benches, tree: Tree) -> Iterator[DiskDesk]:
    """A desk with `tree` on it; it is gone when the context ends, its snapshots are not."""
    with workspace.fresh(tree) as folder, workspace.fresh(Tree()) as scratch:
        yield DiskDesk(workspace, benches, folder, scratch, tree)


def _exists(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _words(path: str, error: OSError) -> str:
    return (
        f"{path!r}: {os.strerror(error.errno or 0).lower()}; `list` shows which files there are, links are not followed"
    )


def _one_commit(folder: str) -> bool:
    """Give the folder a repository of one commit, so that `git diff` serves the worker: no remote, no history."""
    if os.path.lexists(os.path.join(folder, ".git")) or shutil.which("git") is None:
        return False
    env = {**ENV, **AUTHOR}
    steps = (("init", "-q", "-b", "base"), ("add", "-A", "-f"), ("commit", "-q", "--allow-empty", "-m", "base"))
    for step in steps:
        done = subprocess.run([binary(), *SAFE, *step], cwd=folder, env=env, capture_output=True, check=False)
        if done.returncode != 0:
            break
    return True
