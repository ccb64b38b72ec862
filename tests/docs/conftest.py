from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.programs import FAKE, Fake, adapted, request_of


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """Runs an adapter whose program prints `out` and `err` and ends with `code`."""

    def ran(name: str, out: str = "", err: str = "", code: int = 0, asked: Any = None, argv: tuple[str, ...] = (),
            **env: str) -> subprocess.CompletedProcess[str]:  # fmt: skip
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(FAKE.format(python=sys.executable, seen=str(tmp_path / "seen"), out=out, err=err, code=code))
        program.chmod(0o755)
        return adapted(name, asked or request_of(), argv, {"PATH": str(program.parent), "HOME": str(tmp_path), **env})

    return ran
