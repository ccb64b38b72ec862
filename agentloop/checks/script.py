"""The kind `script`: one of the verifiers that come with agentloop."""

from __future__ import annotations

import difflib
import shlex
import sys
from pathlib import Path
from typing import Any

from agentloop.checks.answer import answer, exit_status
from agentloop.checks.parameters import judging_files, key_problems
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.ports import Bench

_PACKAGE = Path(__file__).parent.parent
PLACES = (_PACKAGE / "verifiers", _PACKAGE.parent / "verifiers")
"""Where the verifiers lie: inside of an installed package, beside the package in a checkout."""


def verifiers() -> dict[str, Path]:
    """Name → file of each verifier."""
    for place in PLACES:
        if place.is_dir():
            return {file.stem: file for file in sorted(place.glob("*.py")) if not file.stem.startswith("_")}
    return {}


class Script:
    """``script: "NAME ARG …"`` or ``{name: NAME, args: [...]}``, run with the tree as working directory.

    Exit code 0 passes, 1 fails, anything else is `error`: a verifier that was called wrongly says nothing about
    the tree.
    """

    kind = "script"

    def problems(self, params: Any) -> list[str]:
        """Whether there is such a verifier."""
        found = key_problems(params, ("name", "args")) if isinstance(params, dict) else []
        try:
            name, args = _parts(params)
        except ValueError as error:
            return [*found, f"script wants the name of a verifier and its arguments: {error}; found {params!r}"]
        if any("\0" in arg for arg in args):
            found.append("an argument holds a NUL character")
        known = verifiers()
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known) or 'none'}"
            found.append(f"no verifier {name!r}; {hint}")
        return found

    def files(self, params: Any) -> list[str]:
        """Expected output and tests among the arguments."""
        return judging_files(_parts(params)[1])

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Run the verifier with agentloop's own interpreter, in the sandbox."""
        name, args = _parts(spec.params)
        # -E and -s keep the user's packages out; the verifiers' folder stays first on the path.
        argv = (sys.executable, "-E", "-s", str(verifiers()[name]), *args)
        ran = bench.launch(argv, spec.timeout, {})
        status, reason = exit_status(ran)
        if ran.code is not None and ran.code > 1:
            status, reason = "error", f"the verifier could not judge ({ran.said})"
        said = (ran.stderr.text.strip() or ran.stdout.text.strip()).splitlines()
        if status != "passed" and said:
            reason = f"{reason}: {said[-1][:300]}"
        return answer(spec, bench, status, reason, ran, argv=argv)


def _parts(params: Any) -> tuple[str, list[str]]:
    """The verifier's name, without folder and ending, and its arguments. Raises ValueError."""
    if isinstance(params, str):
        words: Any = shlex.split(params)
    elif isinstance(params, dict):
        args = params.get("args", [])
        words = [params.get("name"), *(args if isinstance(args, list | tuple) else [args])]
    else:
        words = []
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError("texts are wanted")
    return words[0].removeprefix("verifiers/").removesuffix(".py"), words[1:]
