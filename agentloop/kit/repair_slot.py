"""A copy of the tree in which candidates are tried one after another, and the lines to its keepers."""

import contextlib
import json
import os
import signal
from typing import Any

import repair_keeper  # type: ignore[import-not-found]


class Line:
    """A keeper and the two pipes that lead to it."""

    def __init__(self, slot, request, heat, others):
        down, self.commands = os.pipe()
        self.answers, up = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for fd in (self.commands, self.answers, *others):
                os.close(fd)
            repair_keeper.Keeper(slot, request, down, up, heat).keep()
        os.close(down)
        os.close(up)
        self.rest = b""

    def say(self, command):
        with contextlib.suppress(BrokenPipeError):
            data = (json.dumps(command) + "\n").encode()
            while data:
                data = data[os.write(self.commands, data) :]

    def read(self):
        """The answers that have come; None where the keeper is dead."""
        data = os.read(self.answers, 65536)
        if not data:
            return None
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [json.loads(line) for line in whole]

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.commands)
        os.close(self.answers)


class Slot:
    """A copy of the tree with its keepers, and the candidate that is being tried in it."""

    def __init__(self, folder):
        self.folder = folder
        self.keepers: dict[str, Any] = {}
        self.line: Any = None
        self.job: Any = None
        self.loaded = set()
        """Files that the warm keeper has imported: a change of one of them needs the cold one."""

    @property
    def pipes(self):
        return [fd for line in self.keepers.values() if line for fd in (line.commands, line.answers)]

    def write(self, candidate):
        """Put the candidate's file in place; returns where it is and what was there."""
        path = os.path.join(self.folder, candidate["path"])
        with open(path, "rb") as file:
            before = text = file.read()
        for start, end, new in sorted(candidate["edits"], reverse=True):
            text = text[:start] + new.encode() + text[end:]
        with open(path, "wb") as file:
            file.write(text)
        return path, before

    def restore(self):
        if self.job["path"]:
            with open(self.job["path"], "wb") as file:
                file.write(self.job["before"])

    def kill(self):
        """End the run, or the keeper where it did not come to a run; the keeper tells, or its silence does."""
        pid = self.job["pid"]
        for end in (os.killpg, os.kill) if pid else (os.kill,):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(pid or self.line.pid, signal.SIGKILL)

    def drop(self):
        """Let a dead keeper go; a cold one replaces it when the next candidate comes."""
        self.line.end()
        self.keepers = {heat: line if line is not self.line else None for heat, line in self.keepers.items()}
