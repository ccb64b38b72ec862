"""Of which types the variables of each function are, as tests run it."""

import os
import sys

import repair_calls  # type: ignore[import-not-found]

MOST = 30
"""Calls of one function that are looked at."""

EVENTS = 20_000
"""Events of one test after which nobody looks any more: it would make long tests far longer."""


class Types:
    """Looks at functions of the tree when they return; `found` is path → first line → name → type names."""

    def __init__(self, tree):
        self.tree = tree + os.sep
        self.calls = repair_calls.Calls()
        self.events = 0
        self.left = {}
        self.places = {}
        self.found: dict[str, dict[int, dict[str, list[str]]]] = {}

    def start(self):
        self.events = EVENTS
        sys.setprofile(self.profile)

    def stop(self):
        sys.setprofile(None)

    def profile(self, frame, event, argument):
        self.events -= 1
        if not self.events:
            self.stop()
        if event not in ("return", "call"):
            return
        code = frame.f_code
        left = self.left.get(code)
        if left is None:
            path = os.path.realpath(code.co_filename)
            mine = path.startswith(self.tree) and "<" not in code.co_filename[:1] + code.co_name[:1]
            left = MOST if mine else 0
            self.places[code] = os.path.relpath(path, self.tree) if mine else ""
        if event == "call":
            if left > 0:
                self.calls.keep(self.places[code], frame)
            return
        self.left[code] = left - 1
        if left > 0:
            names = self.found.setdefault(self.places[code], {}).setdefault(code.co_firstlineno, {})
            for name, value in frame.f_locals.items():
                kinds, kind = names.setdefault(name, []), type(value).__name__
                if kind not in kinds and len(kinds) < 6:
                    kinds.append(kind)
