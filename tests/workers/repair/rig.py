"""Small trees for the repair search, and the kit's real scripts run on them as plain processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentloop.core.process import Captured, Ran
from agentloop.wiring.session import KIT
from agentloop.workers.repair.place import Place
from agentloop.workers.repair.standing import BORROW
from tests.repos import QUICK, write


def place(folder: Path, files: dict[str, str], borrow: str | None = BORROW) -> Place:
    """A tree of `files` with a quick pytest.ini, an empty scratch folder, and a launcher without a sandbox."""
    tree, scratch = folder / "tree", folder / "scratch"
    write(tree, {"pytest.ini": QUICK, **files})
    scratch.mkdir()
    python = {name: text.encode() for name, text in files.items() if name.endswith(".py")}
    mine = {name for name in python if not name.startswith("tests/") and not name.endswith("conftest.py")}
    return Place(str(tree), str(scratch), KIT, sys.executable, launcher(tree), python, mine.__contains__, borrow)


def launcher(tree: Path) -> Callable[[tuple[str, ...], float, Mapping[str, str]], Ran]:
    """Starts a command in `tree` with next to nothing in its environment."""

    def launch(argv: tuple[str, ...], timeout: float, env: Mapping[str, str]) -> Ran:
        plain = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", **env}
        began = time.monotonic()
        done = subprocess.run(argv, cwd=tree, env=plain, capture_output=True, timeout=timeout, check=False)
        seconds = time.monotonic() - began
        return Ran(code=done.returncode, stderr=Captured(done.stderr, b"", len(done.stderr)), seconds=seconds)

    return launch


def rows(where: Place) -> list[dict[str, Any]]:
    """What the server wrote, in the order of the candidates."""
    text = Path(where.scratch, "results.jsonl").read_text()
    return sorted((json.loads(row) for row in text.splitlines()), key=lambda row: int(row["id"]))


def served(where: Place, texts: list[str], path: str = "m.py", **asked: Any) -> list[dict[str, Any]]:
    """Have whole new contents of one file tried by the server; `asked` goes into the request."""
    size = len(where.files[path])
    scratch = Path(where.scratch)
    part = asked.pop("part", None)
    size = part[1] if part else size
    candidates = [
        {"id": n, "path": path, "edits": [[0, size, text]], "near": [], "part": part} for n, text in enumerate(texts)
    ]
    (scratch / "candidates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in candidates))
    (scratch / "results.jsonl").write_text("")
    slot = scratch / "slot"
    if not slot.exists():
        write(slot, {"pytest.ini": QUICK, **{name: data.decode() for name, data in where.files.items()}})
    request = {
        "tree": where.folder,
        "slots": [str(slot)],
        "candidates": str(scratch / "candidates.jsonl"),
        "results": str(scratch / "results.jsonl"),
        "failing": ["tests/test_m.py::test_it"],
        "passing": [],
        "modules": [],
        "want": 99,
        "seconds": 60.0,
        "limits": [1.5, 1.5],
        "each": {},
        **asked,
    }
    (scratch / "request.json").write_text(json.dumps(request))
    argv = (where.python, str(Path(where.kit, "repair_server.py")), str(scratch / "request.json"))
    ran = where.launch(argv, 120.0, {})
    assert ran.ok, ran.stderr.text
    return rows(where)
