"""What a resumed run looks at anew: programs that could not be started may have been installed since."""

from __future__ import annotations

from agentloop.core import events as e
from agentloop.wiring.session import Session

TIMEOUT = 20.0


def look_again(session: Session) -> None:
    """Take back the fact that a program could not be started, where the sandbox finds it now."""
    for name in sorted(session.state.folded.known.lacking):
        with session.verifier.bench(session.state.base, None, None) as bench:
            found = bench.launch(("bash", "-c", 'command -v -- "$1"', "bash", name), TIMEOUT, {})
        if found.ok:
            session.state.record(e.Tried(name=name, ran=True, reason="found when the run was resumed"))
