"""Searching in files."""

from __future__ import annotations

import json
from typing import Any

from agentloop.core.chat import ToolSpec
from agentloop.core.globs import glob_problem, matcher
from agentloop.core.visible import visible
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import parameters

SECONDS = 20.0

_SCRIPT = """
import json, re, sys
wanted = json.loads(sys.argv[1])
pattern, hits = re.compile(wanted["pattern"]), []
for path in wanted["paths"]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if pattern.search(line[:2000]):
                    hits.append([path, number, line.rstrip()[:300]])
                    if len(hits) > wanted["limit"]:
                        raise SystemExit(print(json.dumps(hits)))
    except OSError:
        continue
print(json.dumps(hits))
"""
"""Runs in the sandbox, where a pattern that never ends is cut off by the deadline."""


class SearchArguments(Arguments):
    """A regular expression, where to look, and how many hits."""

    pattern: str
    glob: str = "**"
    limit: int = 50


class Search:
    """Find lines that match a Python regular expression, in the paths that match a glob."""

    spec = ToolSpec(
        name="search",
        description="Find lines that match a Python regular expression, in the paths that match a glob.",
        parameters=parameters(SearchArguments),
    )

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """``path:line: text`` for each hit."""
        wanted = fitted(SearchArguments, arguments)
        if why := glob_problem(wanted.glob):
            raise DeskError(why)
        matches = matcher((wanted.glob,))
        limit = max(1, min(wanted.limit, 500))
        hits: list[list[Any]] = []
        for paths in _batches([path for path in desk.files() if matches(path)]):
            asked = json.dumps({"pattern": wanted.pattern, "paths": paths, "limit": limit - len(hits)})
            ran = desk.run(("python3", "-I", "-c", _SCRIPT, asked), SECONDS)
            if ran.timed_out:
                raise DeskError(f"the search took more than {SECONDS:.0f} s; use a simpler pattern or a narrower glob")
            if not ran.ok:
                last = (ran.stderr.text.strip().splitlines() or [ran.said])[-1]
                raise DeskError(f"{wanted.pattern!r} could not be searched for: {last}")
            hits += json.loads(ran.stdout.head)
            if len(hits) > limit:
                break
        shown = [f"{visible(path)}:{number}: {visible(text)}" for path, number, text in hits[:limit]]
        more = ["(more; narrow the pattern or the glob)"] if len(hits) > limit else []
        return "\n".join([*shown, *more]) or "nothing found"


def _batches(paths: list[str]) -> list[list[str]]:
    """Paths in parts that fit an argument."""
    return [paths[start : start + 500] for start in range(0, len(paths), 500)]
