"""The typer application, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import typer

from agentloop.cli import check, doctor, init, listing, models, resume, run, schema, show, verify
from agentloop.core.ends import ENDS, plain
from agentloop.core.visible import visible
from agentloop.errors import AgentloopError, Interrupted, Stopped, Terminated
from agentloop.version import __version__

COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.run,
    "check": check.check,
    "init": init.init,
    "resume": resume.resume,
    "list": listing.list_runs,
    "show": show.show,
    "verify": verify.verify,
    "models": models.models,
    "schema": schema.schema,
    "doctor": doctor.doctor,
}
"""Command → function, in the order of the help."""

app = typer.Typer(
    name="agentloop",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Turns an open-ended goal into a verified patch: models plan and edit, code decides.",
    epilog="Exit codes:\n\n\b\n" + plain(),
)
for name, command in COMMANDS.items():
    app.command(name, epilog="Exit codes: `agentloop --help`.")(command)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """Turns an open-ended goal into a verified patch: models plan and edit, code decides."""
    if version:
        typer.echo(f"agentloop {__version__}")
        raise typer.Exit


def main(argv: list[str] | None = None, application: Callable[..., object] = app) -> NoReturn:
    """Run a command and exit with its code. Nothing escapes as a bare traceback."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        application(args=argv)
    except AgentloopError as error:
        _leave(error)
    except (KeyboardInterrupt, Terminated) as interrupt:
        _say("interrupted: stopped before anything was recorded")
        sys.exit(143 if isinstance(interrupt, Terminated) else 130)
    except BrokenPipeError:
        # Whoever read our output went away; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        _say(f"bug in agentloop: {type(error).__name__}: {error}; AGENTLOOP_TRACEBACK=1 shows where")
        if os.environ.get("AGENTLOOP_TRACEBACK"):
            raise
        sys.exit(1)
    sys.exit(0)


def _leave(error: AgentloopError) -> NoReturn:
    if isinstance(error, Stopped):
        _say(str(error.summary))
        _say(f"{error.end}: {error.reason}")
    else:
        _say(f"{error.end}: {error}")
    sys.exit(128 + error.signal if isinstance(error, Interrupted) else error.code)


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise Terminated


__all__ = ["COMMANDS", "ENDS", "app", "main"]
