"""What a change may touch is decided by paths and modes alone."""

from __future__ import annotations

import pytest

from agentloop.core.screen import MAX_FILE, Fence, screen
from agentloop.core.tree import EXECUTABLE, FILE, LINK, Entry, Tree, difference

BASE = Tree({"src/a.py": Entry(FILE, "a" * 64, 1), "tests/test_a.py": Entry(FILE, "b" * 64, 1)})
FENCE = Fence(allow=("src/**", "tests/test_new_*.py"), named=("data/check.json",))


def judge(path: str, mode: int = FILE, size: int = 2, fence: Fence = FENCE) -> tuple[str, str]:
    after = BASE.patched({path: (None, Entry(mode, "c" * 64, size))})
    found = screen(BASE, difference(BASE, after), fence)
    return found.status, found.reason


@pytest.mark.parametrize("path", ["src/a.py", "src/new.py", "src/deep/er/x.py", "tests/test_new_b.py"])
def test_what_allow_covers_passes(path: str) -> None:
    """Sources may change, and new tests may be written where `allow` says so."""
    assert judge(path) == ("passed", "")
    assert judge(path, EXECUTABLE) == ("passed", "")


@pytest.mark.parametrize("path", ["README.md", "srcs/a.py", "a.py"])
def test_what_allow_does_not_cover_fails_by_name(path: str) -> None:
    """A file outside `allow` is a failed verdict, with the path."""
    assert judge(path) == ("failed", f"{path!r}: outside `allow`")


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("tests/test_a.py", "tests and their fixtures"),
        ("tests/data/x.json", "tests and their fixtures"),
        ("src/tests/helper.py", "tests and their fixtures"),
        ("src/conftest.py", "test configuration"),
        ("conftest.py", "test configuration"),
        ("tests/conftest.py", "tests and their fixtures"),
        ("src/pytest.ini", "test configuration"),
        ("pyproject.toml", "test configuration"),
        ("src/sitecustomize.py", "what Python loads by itself"),
        ("src/x.pth", "what Python loads by itself"),
        ("src/p.egg-info/PKG-INFO", "what Python loads by itself"),
        ("src/__pycache__/a.cpython-311.pyc", "what Python loads by itself"),
        ("Makefile", "build and CI"),
        (".github/workflows/ci.yml", "build and CI"),
        (".gitattributes", "git's own files"),
        ("src/.env.local", "environment files"),
        ("data/check.json", "named by a check"),
    ],
)
def test_protected_files_are_tampering_even_where_base_has_none(path: str, rule: str) -> None:
    """Protection wins over `allow`, and the reason names path and rule."""
    assert judge(path, fence=Fence(allow=("**",), named=FENCE.named)) == ("tamper", f"{path!r}: protected ({rule})")


@pytest.mark.parametrize(
    "path", ["src/.git/config", "src/.GIT", "src/git~1/x", "src/.g\u200cit/x", "src/.git. /x", "src/.gitmodules"]
)
def test_names_that_git_uses_are_tampering(path: str) -> None:
    """A name that some file system takes for git's own is refused wherever it stands."""
    assert judge(path)[0] == "tamper"


@pytest.mark.parametrize("mode", [LINK, 0o160000, 0o010644, 0o104755, 0o020000])
def test_links_devices_and_the_like_are_tampering(mode: int) -> None:
    """Only plain files may be written."""
    status, reason = judge("src/a.py", mode)
    assert status == "tamper"
    assert f"{mode:o}" in reason


def test_a_name_that_differs_by_case_only_is_tampering() -> None:
    """Two files that are one on some disks can't both be delivered."""
    assert judge("src/A.py")[0] == "tamper"


def test_large_files_fail() -> None:
    """A file past the limit is a failed verdict with both sizes."""
    assert judge("src/b.bin", size=MAX_FILE + 1)[0] == "failed"


def test_unlock_opens_a_base_test_and_deletion_counts_as_change() -> None:
    """Only what `unlock` names may change; taking a test away is tampering."""
    gone = difference(BASE, BASE.patched({"tests/test_a.py": (BASE["tests/test_a.py"], None)}))
    assert screen(BASE, gone, Fence(allow=("**",))).status == "tamper"
    assert screen(BASE, gone, Fence(allow=("**",), unlock=("tests/test_a.py",))).status == "passed"


def test_the_worst_finding_counts() -> None:
    """Tampering is not hidden behind a file that is merely outside."""
    after = BASE.patched({"A.md": (None, Entry(FILE, "c" * 64, 1)), "conftest.py": (None, Entry(FILE, "c" * 64, 1))})
    assert screen(BASE, difference(BASE, after), FENCE).status == "tamper"
