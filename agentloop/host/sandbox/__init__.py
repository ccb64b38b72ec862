"""Isolation for commands: levels, best first, each used only where its probe passes on this machine."""

from __future__ import annotations

from collections.abc import Callable

from agentloop.core.process import SandboxLevel
from agentloop.errors import NoSandbox
from agentloop.host.sandbox.bwrap import BubblewrapSandbox
from agentloop.host.sandbox.landlock import LandlockSandbox
from agentloop.host.sandbox.plain import ExternalSandbox, PlainSandbox
from agentloop.host.sandbox.probe import ProbeReport, examine
from agentloop.ports import Sandbox

MAKERS: dict[SandboxLevel, Callable[[], Sandbox]] = {
    "full": BubblewrapSandbox,
    "landlock": LandlockSandbox,
    "external": ExternalSandbox,
    "none": PlainSandbox,
}
"""Level → what makes it."""

REMEDIES = {
    "full": "install bubblewrap (`apt-get install bubblewrap`); where it is there, allow user namespaces "
    "(`sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu an AppArmor profile for bwrap, in a container "
    "`--security-opt seccomp=unconfined`)",
    "landlock": "use a Linux kernel of 5.13 or newer with Landlock switched on (`lsm=landlock,…`)",
}


def probe(level: SandboxLevel, makers: dict[SandboxLevel, Callable[[], Sandbox]] = MAKERS) -> ProbeReport:
    """Try out whether `level` holds on this machine, with things that must work and things that must not."""
    return examine(makers[level]())


def choose(wanted: SandboxLevel | None, makers: dict[SandboxLevel, Callable[[], Sandbox]] = MAKERS) -> Sandbox:
    """The best sandbox that is at least `wanted` and passes its probe; None accepts down to `landlock`.

    `external` and `none` are taken only by that very word, unprobed. Raises NoSandbox with the remedy.
    """
    if wanted in ("external", "none"):
        return makers[wanted]()
    levels: tuple[SandboxLevel, ...] = ("full",) if wanted == "full" else ("full", "landlock")
    failures = []
    for level in levels:
        report = probe(level, makers)
        if report.ok:
            return makers[level]()
        failures.append(f"{level}: {report.why}")
    remedy = "; or ".join(REMEDIES[level] for level in levels)
    last = "or accept less with `--sandbox none`, or `external` where a container is the sandbox"
    raise NoSandbox("no acceptable sandbox: " + "; ".join(failures), f"{remedy}; {last}")
