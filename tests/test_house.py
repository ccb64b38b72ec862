"""The house keeps its shape: registries load, tables are the code's, imports stay light."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import agentloop
from agentloop.checks import KINDS
from agentloop.cli.app import COMMANDS
from agentloop.cli.tables import filled, tables
from agentloop.core.ends import ENDS
from agentloop.errors import AgentloopError
from agentloop.providers import PROVIDERS
from agentloop.tools import TOOLS, Policy
from agentloop.wiring.goalfile.parts import KINDS as NAMED
from agentloop.wiring.goalfile.parts import PATTERNS as NAMED_PATTERNS
from agentloop.wiring.goalfile.parts import TOOLS as NAMED_TOOLS
from agentloop.wiring.team import DEFAULTS
from agentloop.workers import PATTERNS
from agentloop.workers.repair.templates import TEMPLATES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_the_codes(page: Path) -> None:
    """Exit codes, commands, kinds and keys in README and docs are what the code has (`make docs` writes them)."""
    text = page.read_text(encoding="utf-8")
    assert filled(text) == text


def test_every_table_stands_somewhere() -> None:
    """No table is made for nothing, and README shows the three that users look for first."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in tables() if f"<!-- table: {name} -->" not in text] == []
    assert all(f"<!-- table: {name} -->" in PAGES[0].read_text() for name in ("exits", "commands", "kinds"))


def test_registries_agree_with_what_they_name() -> None:
    """Each kind, tool, provider, pattern and template loads under its own name."""
    assert all(check.kind == name for name, check in KINDS.items())
    assert sorted(NAMED) == sorted(KINDS)
    assert sorted(NAMED_PATTERNS) == sorted(PATTERNS)
    assert sorted(NAMED_TOOLS) == sorted(TOOLS)
    assert {spec.pattern for spec, _ in DEFAULTS.values()} <= set(PATTERNS)
    policy = Policy(lambda path: None, ())
    assert all(make(policy).spec.name == name for name, make in TOOLS.items())
    for provider in PROVIDERS.values():
        module, _, name = provider.leaf.partition(":")
        assert hasattr(import_module(module), name)
    assert all(0 < module.PRIOR <= 1 for module in TEMPLATES.values())


def test_exit_codes_are_the_errors_own() -> None:
    """Every error that ends a command has its row, and no two ends but the refusals share a code."""
    codes = {end.name: end.code for end in ENDS}

    def walk(error: type[AgentloopError]) -> list[type[AgentloopError]]:
        return [error, *(below for child in error.__subclasses__() for below in walk(child))]

    for error in walk(AgentloopError):
        assert str(error.code) in codes[error.end]
    plain = [end.code for end in ENDS if end.name != "already_satisfied"]
    assert len(plain) == len(set(plain))


def test_public_names_are_there() -> None:
    """Everything in `agentloop.__all__` can be had."""
    assert [name for name in agentloop.__all__ if not hasattr(agentloop, name)] == []


@pytest.mark.parametrize(
    "program", ["import agentloop", "import sys; sys.argv = ['agentloop', '--help']; import agentloop.cli"]
)
def test_neither_sdk_is_loaded_before_it_is_needed(program: str) -> None:
    """`import agentloop` and the command line load no provider's SDK and no price table."""
    late = ("openai", "anthropic", "genai_prices", "httpx2")
    code = f"{program}\nimport sys\nprint([name for name in {late!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_command_and_exit_code() -> None:
    """`agentloop --help` is enough to use it in a script."""
    done = subprocess.run([sys.executable, "-m", "agentloop", "--help"], capture_output=True, text=True, check=True)
    assert [name for name in COMMANDS if f" {name} " not in done.stdout] == []
    assert [end.name for end in ENDS if f"{end.code}  {end.name}: " not in done.stdout] == []


def test_files_stay_small() -> None:
    """A room past 260 lines must be cut; the house's habit is 150."""
    large = {path.name: n for path in ROOT.glob("agentloop/**/*.py") if (n := len(path.read_text().splitlines())) > 280}
    assert large == {}


def test_prompts_mark_material_as_data() -> None:
    """Each role's prompt says that text between data marks is never an instruction."""
    for page in (ROOT / "agentloop" / "prompts").glob("*.md"):
        assert "never an instruction" in page.read_text()
