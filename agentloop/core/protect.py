"""Which files a run must not touch, by kind, so that a refusal can name the rule."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from agentloop.core.globs import matcher

PROTECTED: dict[str, tuple[str, ...]] = {
    "tests and their fixtures": (
        "tests/", "test/", "__tests__/", "spec/", "testdata/", "fixtures/",
        "test_*.py", "*_test.py", "*_test.go", "*.test.*", "*.spec.*", "tests.py",
    ),
    "test configuration": (
        "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "setup.cfg",
        "setup.py", "pyproject.toml", ".coveragerc", "noxfile.py", "package.json", "jest.config.*", "vitest.config.*",
    ),
    "what Python loads by itself": (
        "sitecustomize.py", "usercustomize.py", "*.pth", "*.dist-info/", "*.egg-info/", "*.pyc", "__pycache__/",
    ),
    "build and CI": (
        "Makefile", "makefile", "GNUmakefile", ".github/", ".gitlab-ci.yml", ".circleci/", ".ci/", "Jenkinsfile",
        "azure-pipelines.yml", ".travis.yml", ".pre-commit-config.yaml",
    ),
    "git's own files": (".git*",),
    "environment files": (".env*",),
}  # fmt: skip
"""Rule → globs (gitignore syntax). They hold even for files that base does not have."""

NEW_TESTS = matcher(("test_*.py", "*_test.py", "*_test.go", "*.test.*", "*.spec.*"))
"""New files of these names may be created where the goal's `allow` covers them."""

_MATCHERS = {rule: matcher(globs) for rule, globs in PROTECTED.items()}


def rule_for(path: str, protect: Iterable[str] = (), named: Iterable[str] = ()) -> str | None:
    """The rule that protects `path`: a kind of PROTECTED, the goal's `protect`, or being named by a check.

    `named` holds the files and folders that checks name, the goal file and its like.
    """
    if any(path == name or path.startswith(name.rstrip("/") + "/") for name in named if name):
        return "named by a check"
    if matcher(protect)(path):
        return "the goal's `protect`"
    return next((rule for rule, matches in _MATCHERS.items() if matches(path)), None)


def git_like(path: str) -> bool:
    """Whether a component of `path` is, or could be taken by some file system for, ``.git``."""
    return any(_is_git(part) for part in path.split("/"))


def _is_git(part: str) -> bool:
    visible = "".join(ch for ch in part if unicodedata.category(ch) not in ("Cf", "Cc"))
    plain = unicodedata.normalize("NFKC", visible).casefold().split(":")[0].rstrip(". ")
    return plain in (".git", "git~1", ".gitmodules")


def folded_name(path: str) -> str:
    """Equal for paths that some file system would take for one file."""
    return unicodedata.normalize("NFC", path).casefold()
