"""The command line. stdout carries results, stderr progress and messages; exit codes come from one table."""

from __future__ import annotations

from agentloop.cli.app import main

__all__ = ["main"]
