"""A branch that is not the run's own is told from one that is, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentloop.core.digest import sha256
from agentloop.core.tree import FILE, Entry, Tree
from agentloop.host.git.deliver import make_branch
from agentloop.host.git.delivered import Expected, differences, holds, tip
from agentloop.host.git.source import Source, open_source, read_base
from tests.repos import git, repository, write

TRAILERS = (("Agentloop-Run", "r1"), ("Agentloop-Tree", "t"), ("Agentloop-Log-Head", "9:abc"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Source, Expected]:
    """A repository whose branch `mine` is a run's, with the scope `app/`."""
    repo = repository(tmp_path_factory.mktemp("d") / "repo", {"app/a.py": "a = 1\n", "beside.txt": "x\n"})
    source = open_source(repo / "app")
    kept: dict[str, bytes] = {}
    base = read_base(source, lambda data: kept.setdefault(sha256(data), data) and sha256(data))
    kept[sha256(b"a = 2\n")] = b"a = 2\n"
    after = Tree({**base, "a.py": Entry(FILE, sha256(b"a = 2\n"), 6)})
    make_branch(source, base, after, kept.__getitem__, "mine", "Mend: it\n\nwith words", list(TRAILERS))
    return repo, source, Expected(base, after, TRAILERS)


def again(repo: Path, files: dict[str, str], *commit: str, start: str = "mine") -> str:
    """A commit beside `mine` by hand; its name."""
    git(repo, "checkout", "-q", "--detach", start)
    write(repo, files)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", *commit)
    made = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "main")
    return made


def test_the_runs_own_branch_differs_in_nothing(place: tuple[Path, Source, Expected]) -> None:
    """Parent, files and trailers are read back."""
    _, source, expected = place
    commit = tip(source, "mine")
    assert commit is not None
    assert differences(source, commit, expected) == []
    assert tip(source, "nobody") is None
    assert holds(source)
    assert not holds(Source(source.toplevel, source.git_dir, source.prefix, "0" * 40))


BODY = "Mend: it\n\n" + "".join(f"{key}: {value}\n" for key, value in TRAILERS)
OTHERS = {
    "another file": ({"app/a.py": "a = 3\n"}, ("--amend", "--no-edit"), "holds other files: 'a.py'"),
    "one more file": ({"app/b.py": "b = 1\n"}, ("--amend", "--no-edit"), "holds other files: 'b.py'"),
    "beside the scope": (
        {"beside.txt": "y\n"},
        ("--amend", "--no-edit"),
        "files beside the scope 'app/': 'beside.txt'",
    ),
    "a commit on top": ({}, ("-m", BODY), "its parent is"),
    "another run": ({}, ("--amend", "-m", BODY.replace("r1", "r2")), "its trailer Agentloop-Run is 'r2'; wanted 'r1'"),
    "no trailers": ({}, ("--amend", "-m", "Mend it"), "its trailer Agentloop-Run is 'missing'"),
    "trailers in the text": ({}, ("--amend", "-m", BODY + "\nand more words"), "Agentloop-Run is 'missing'"),
    "another log": ({}, ("--amend", "-m", BODY.replace("9:abc", "8:abc")), "Agentloop-Log-Head is '8:abc'"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_commit_is_told_with_what_differs(place: tuple[Path, Source, Expected], name: str) -> None:
    """Whatever of it was changed."""
    repo, source, expected = place
    files, commit, words = OTHERS[name]
    found = differences(source, again(repo, files, *commit), expected)
    assert any(words in line for line in found), found


def test_what_can_not_be_read_is_said(place: tuple[Path, Source, Expected]) -> None:
    """A commit that is not there, or lacks the scope."""
    repo, source, expected = place
    assert "can't be read" in differences(source, "1" * 40, expected)[0]
    git(repo, "checkout", "-q", "--orphan", "bare")
    git(repo, "rm", "-rqf", ".")
    git(repo, "commit", "-q", "--allow-empty", "-m", BODY)
    commit = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-qf", "main")
    assert any("can't be read" in line for line in differences(source, commit, expected))
