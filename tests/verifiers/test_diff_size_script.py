"""The verifier diff_size: small enough, too large, or not to be counted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "verifiers" / "diff_size.py"

EDIT = """\
diff --git a/shop/cart.py b/shop/cart.py
index 1111111..2222222 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,4 +1,4 @@ def total():
 one
-two
--- a line that only looks like a header
+++ b and so does this one
+TWO
 three
@@ -9 +9,2 @@
 nine
+ten
\\ No newline at end of file
"""
RENAME = """\
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
"""
BINARY = """\
diff --git a/logo.png b/logo.png
index 1..2 100644
GIT binary patch
literal 4
LcmZQzKm!1f00RI3

"""
PLAIN = """\
--- old/a.txt\t2026-12-01
+++ new/a.txt\t2026-12-01
@@ -1 +0,0 @@
-gone
--- old/b.txt\t2026-12-01
+++ new/b.txt\t2026-12-01
@@ -0,0 +1 @@
+come
"""
MAIL = f"From 1 Mon Sep 17 00:00:00 2001\nSubject: Fix\n\n+ not a change\n---\n{EDIT}-- \n2.39.5\n"


def verified(patch: str | bytes, *argv: str, file: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the script on `patch`, through stdin or `file`."""
    data = patch if isinstance(patch, bytes) else patch.encode()
    if file:
        file.write_bytes(data)
    command = [sys.executable, "-E", str(SCRIPT), str(file or "-"), *argv]
    return subprocess.run(command, input=data, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("patch", "lines", "files"),
    [(EDIT, 5, 1), (RENAME, 0, 1), (EDIT + RENAME, 5, 2), (PLAIN, 2, 2), (MAIL, 5, 1), ("", 0, 0), ("\n", 0, 0)],
)
def test_the_limit_passes_and_one_less_fails(tmp_path: Path, patch: str, lines: int, files: int) -> None:
    """Exactly the added and removed lines and the touched files count, from a file as from stdin."""
    for file in (None, tmp_path / "x.patch"):
        ran = verified(patch, "--max-lines", str(lines), "--max-files", str(files), file=file)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    if lines:
        ran = verified(patch, "--max-lines", str(lines - 1))
        assert ran.returncode == 1
        assert f"{lines} lines are added or removed; at most {lines - 1} are allowed" in ran.stdout.decode()
    if files:
        ran = verified(patch, "--max-lines", "99", "--max-files", str(files - 1))
        assert ran.returncode == 1
        assert f"{files} files are touched; at most {files - 1} are allowed" in ran.stdout.decode()


def test_lines_that_are_not_text_count_like_others() -> None:
    """Undecodable bytes and lone carriage returns do not split or join lines."""
    patch = b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n-\xff\r\x0c\n-b\r\n+\xfe\n+b\n"
    assert verified(patch, "--max-lines", "4").returncode == 0
    assert verified(patch, "--max-lines", "3").returncode == 1


@pytest.mark.parametrize("patch", [BINARY, EDIT + BINARY, "Binary files a/x and b/x differ\n"])
def test_a_binary_change_has_no_size_and_fails(patch: str) -> None:
    """A limit in lines can't be shown to hold."""
    ran = verified(patch, "--max-lines", "1000")
    assert ran.returncode == 1
    assert b"binary" in ran.stdout


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        ("hello\n", "no unified diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a hunk without a file"),
        (EDIT.replace("@@ -1,4", "@@ -1,9"), "the hunk of line 5"),
        (EDIT.replace("+1,4 @@", "+1,1 @@"), "the hunk of line 5"),
        (EDIT[: EDIT.index("+ten")], "the hunk of line 12"),
        ("diff --cc a.py\n", "line 1: a diff of a merge"),
    ],
)
def test_what_is_no_whole_patch_is_not_judged(patch: str, says: str) -> None:
    """A patch that was cut must not look small."""
    ran = verified(patch, "--max-lines", "1000")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert says in ran.stderr.decode()


def test_a_missing_file_and_a_wrong_usage_are_2(tmp_path: Path) -> None:
    """Each says what is wrong, without a traceback."""
    for argv, says in (
        ([str(tmp_path / "none"), "--max-lines", "1"], "No such file"),
        ([str(tmp_path), "--max-lines", "1"], "Is a directory"),
        (["-"], "--max-lines"),
        (["-", "--max-lines", "-1"], "'-1'"),
        (["-", "--max-lines", "few"], "'few' is no number"),
        ([], "PATCH"),
    ):
        command = [sys.executable, str(SCRIPT), *argv]
        ran = subprocess.run(command, input="", capture_output=True, text=True, check=False)
        assert ran.returncode == 2
        assert says in ran.stderr
        assert "Traceback" not in ran.stderr


def test_the_help_names_the_exit_codes() -> None:
    """0 for asking."""
    ran = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert "Exit code: 0" in ran.stdout
