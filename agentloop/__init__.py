"""Turns an open-ended goal into a verified patch: models plan and edit, code decides."""

from agentloop.version import __version__

__all__ = ["__version__"]
