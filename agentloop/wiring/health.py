"""What is there on this machine, for `agentloop doctor`."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from agentloop.host.sandbox import probe
from agentloop.providers import PROVIDERS
from agentloop.version import __version__

PROGRAMS = ("git", "bwrap", "bash")
PACKAGES = ("openai", "anthropic", "pytest", "coverage", "genai-prices")


def report(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The lines of the report. Keys are said to be set or not; their values appear nowhere."""
    lines = [f"agentloop {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}"]
    lines += [f"{name:<14} {shutil.which(name) or 'not found'}" for name in PROGRAMS]
    lines += [f"{name:<14} {_installed(name)}" for name in PACKAGES]
    for level in ("full", "landlock"):
        found = probe(level)
        lines.append(f"sandbox {level}: {'passes its probe' if found.ok else 'not usable: ' + found.why}")
        lines += [f"    {'ok ' if row.ok else 'BAD'} {row.what}: {row.got}" for row in found.rows]
    for name, provider in PROVIDERS.items():
        if provider.key_env:
            state = "set" if environ.get(provider.key_env, "").strip() else "not set"
            lines.append(f"provider {name}: {provider.key_env} is {state}")
    return lines


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
