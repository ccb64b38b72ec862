"""The verifier json_schema: valid, not valid, or not to be said."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "verifiers" / "json_schema.py"
ORDERS = """{"type": "object", "required": ["orders"], "properties": {"orders": {"type": "array",
 "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}}}}"""


def verified(
    folder: Path, document: str | bytes | None, schema: str | None, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run the script on a document and a schema; None: the file is missing."""
    for name, content in (("report.json", document), ("schema.json", schema)):
        if content is not None:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    argv = [sys.executable, "-E", *options, str(SCRIPT), "report.json", "schema.json"]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False, timeout=20)


def test_a_valid_document_passes_in_silence(tmp_path: Path) -> None:
    """Nothing to say."""
    ran = verified(tmp_path, '{"orders": [{"id": 1}, {"id": 2}]}', ORDERS)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ('{"orders": [{"id": 1}, {"id": "2"}]}', "report.json: $.orders[1].id: '2' is not of type 'integer'"),
        ("{}", "report.json: $: 'orders' is a required property"),
        ("{", "report.json: Expecting"),
        ('{"orders": [], "orders": []}', "report.json: the key 'orders' stands twice"),
        ('{"orders": [{"id": NaN}]}', "report.json: NaN is no JSON"),
        (b'{"orders": ["\xff"]}', "report.json: 'utf-8' codec can't decode"),
        ("[" * 100_000, "report.json: maximum recursion depth"),
        (None, "No such file"),
    ],
)
def test_a_document_that_is_not_valid_fails_with_the_place_and_the_reason(
    tmp_path: Path, document: str | bytes | None, says: str
) -> None:
    """What a schema can't be held against is not valid either."""
    ran = verified(tmp_path, document, ORDERS)
    assert ran.returncode == 1
    assert says in ran.stdout
    assert ran.stderr == ""


def test_only_the_first_problems_of_many_are_printed(tmp_path: Path) -> None:
    """A long list helps nobody."""
    ran = verified(tmp_path, '{"orders": [' + ",".join(["{}"] * 50) + "]}", ORDERS)
    assert ran.returncode == 1
    assert len(ran.stdout.splitlines()) == 11


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (None, "schema.json: [Errno 2] No such file"),
        ("{", "schema.json: Expecting"),
        ('{"type": "objekt"}', "schema.json: $.type: 'objekt' is not valid"),
        ('{"$ref": "#/$defs/missing"}', "schema.json: "),
    ],
)
def test_a_schema_that_is_missing_or_wrong_says_nothing_about_the_document(
    tmp_path: Path, schema: str | None, says: str
) -> None:
    """Exit code 2, and the schema is named."""
    ran = verified(tmp_path, "{}", schema)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "json_schema: can't say: " + says in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_reference_to_another_host_is_not_followed(tmp_path: Path) -> None:
    """A server that listens, and would allow everything, is never asked."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        ran = verified(tmp_path, "{}", f'{{"$ref": "http://127.0.0.1:{server.getsockname()[1]}/x.json"}}')
        with pytest.raises(BlockingIOError):
            server.accept()
    assert ran.returncode == 2
    assert "Unresolvable" in ran.stderr


def test_without_the_package_jsonschema_it_says_so(tmp_path: Path) -> None:
    """An interpreter without site-packages stands for one that lacks it."""
    ran = verified(tmp_path, "{}", ORDERS, "-S")
    assert ran.returncode == 2
    assert "the Python package jsonschema is not installed" in ran.stderr


@pytest.mark.parametrize(("argv", "code"), [(["--help"], 0), ([], 2), (["a", "b", "c"], 2), (["--nope"], 2)])
def test_usage_is_explained_and_a_wrong_one_is_2(argv: list[str], code: int) -> None:
    """The help names the exit codes."""
    ran = subprocess.run([sys.executable, str(SCRIPT), *argv], capture_output=True, text=True, check=False)
    assert ran.returncode == code
    assert ("Exit code: 0" in ran.stdout) == (code == 0)
