"""The kind `files`: what the change may, must and must not touch."""

from __future__ import annotations

from typing import Any

from agentloop.checks.answer import answer
from agentloop.checks.parameters import key_problems, text_list_problems
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.core.globs import matcher
from agentloop.core.tree import difference
from agentloop.ports import Bench

RULES = ("may", "must", "must_not")


class Files:
    """``files: {may: [GLOB], must: [GLOB], must_not: [GLOB]}`` over the change from base, gitignore syntax.

    Each changed path must match `may` where that is given, none may match `must_not`, and each glob of `must`
    must match a changed path.
    """

    kind = "files"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the globs."""
        if not isinstance(params, dict) or not params:
            return [f"files wants a map with may, must or must_not; found {params!r}"]
        found = key_problems(params, RULES)
        for rule in RULES:
            if rule in params:
                found += text_list_problems(rule, params[rule]) or _glob_problems(rule, params[rule])
        if not found and set(params) == {"may"} and matcher(params["may"])("any/path.txt"):
            found.append(f"may: {params['may']!r} allows everything, so the check can't fail")
        return found

    def files(self, params: Any) -> list[str]:
        """None: the globs speak about what may change."""
        return []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Compare the two trees; no process is started."""
        changed = list(difference(bench.base, bench.tree))
        broken: dict[str, str] = {}
        if "may" in spec.params:
            may = matcher(spec.params["may"])
            broken |= {path: f"{path} matches no glob of may" for path in changed if not may(path)}
        for glob in spec.params.get("must_not", ()):
            denied = matcher([glob])
            broken |= {path: f"{path} is changed, against must_not: {glob}" for path in changed if denied(path)}
        for glob in spec.params.get("must", ()):
            if not any(map(matcher([glob]), changed)):
                broken[glob] = f"nothing that matches must: {glob} is changed"
        reason = "; ".join(list(broken.values())[:3])
        kept = [path for path in changed if path not in broken]
        return answer(spec, bench, "failed" if broken else "passed", reason, ids=kept, failing=sorted(broken))


def _glob_problems(rule: str, globs: list[str]) -> list[str]:
    found = []
    for glob in globs:
        if rule != "may" and glob.startswith("!"):
            found.append(f"{rule}: each glob stands for itself, so {glob!r} can't take anything back")
        try:
            matcher([glob])
        except ValueError as error:
            found.append(f"{rule}: {glob!r} is not a glob: {error}")
    return found
