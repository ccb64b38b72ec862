"""Finding the interpreter for Python checks, and pointing its editable installs at the tree under test."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentloop.errors import Refused
from agentloop.host.python import KIT, find_python
from agentloop.ports import Python

ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


@pytest.fixture(scope="module")
def empty_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment without anything in it, to be copied."""
    place = tmp_path_factory.mktemp("venv") / "env"
    venv.create(place, symlinks=True, with_pip=False)
    return place


def environment(empty: Path, place: Path) -> Path:
    """A virtual environment at `place`; its site-packages are returned."""
    shutil.copytree(empty, place, symlinks=True)
    return next(place.glob("lib/python3*/site-packages"))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def run(python: Python, tree: Path, code: str) -> str:
    """What `code` prints, started from a place that is neither the tree nor the checkout."""
    env = {**ENVIRON, **python.environ(str(tree))}
    done = subprocess.run(
        [python.executable, "-c", code], env=env, cwd="/", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.strip()


FINDER = """
import sys
from importlib.machinery import PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
MAPPING = {MAPPING!r}
NAMESPACES = {{}}
class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        for pkg, place in MAPPING.items():
            if fullname == pkg:
                return spec_from_file_location(fullname, Path(place, "__init__.py"), submodule_search_locations=[place])
def install():
    sys.meta_path.append(_EditableFinder)
"""


def install(site: Path, checkout: Path, style: str) -> str:
    """An editable install of the package `pkg` in `checkout`; where the package lies in it is returned."""
    if style == "finder":
        write(site, {"__editable___pkg_1_finder.py": FINDER.format(MAPPING={"pkg": str(checkout / "pkg")})})
        write(
            site, {"__editable__.pkg-1.pth": "import __editable___pkg_1_finder; __editable___pkg_1_finder.install()\n"}
        )
        return "pkg"
    folder = {"flat": checkout, "src": checkout / "src"}[style]
    write(site, {"pkg.pth": f"{folder}\n"})
    return "pkg" if style == "flat" else "src/pkg"


@pytest.mark.parametrize("inside", [False, True], ids=["venv elsewhere", "venv in the checkout"])
@pytest.mark.parametrize("mounted", [True, False], ids=["checkout there", "checkout not mounted"])
@pytest.mark.parametrize("style", ["flat", "src", "finder"])
def test_an_editable_install_is_the_tree_under_test(
    tmp_path: Path, empty_venv: Path, style: str, mounted: bool, inside: bool
) -> None:
    """What is imported comes from the tree, never from the checkout, and installed packages stay what they are."""
    checkout, tree = tmp_path / "checkout", tmp_path / "tree"
    place = checkout / ".venv" if inside else tmp_path / "env"
    site = environment(empty_venv, place)
    write(site, {"third.py": "WHERE = 'installed'\n"})
    package = install(site, checkout, style)
    for root, where in ((checkout, "checkout"), (tree, "tree")):
        write(root, {f"{package}/__init__.py": f"WHERE = {where!r}\n", f"{package}/part.py": f"WHERE = {where!r}\n"})
    python = find_python(None, checkout, ENVIRON if inside else {**ENVIRON, "VIRTUAL_ENV": str(place)})
    assert python.executable == str(place / "bin" / "python")
    if not mounted and not inside:
        checkout.rename(tmp_path / "elsewhere")
    code = "import pkg, pkg.part, third, sys; print(pkg.WHERE, pkg.part.WHERE, third.WHERE, sys.path)"
    words = run(python, tree, code).split(" ", 3)
    assert words[:3] == ["tree", "tree", "installed"]
    entries = ast.literal_eval(words[3])
    assert not [entry for entry in entries if entry.startswith(str(checkout)) and not entry.startswith(str(place))]
    assert len(entries) == len(set(entries))


def test_without_the_kit_the_checkout_would_be_imported(tmp_path: Path, empty_venv: Path) -> None:
    """The ground that the test above stands on: an editable install does point at the checkout."""
    checkout = tmp_path / "checkout"
    site = environment(empty_venv, tmp_path / "env")
    write(checkout, {f"{install(site, checkout, 'src')}/__init__.py": "WHERE = 'checkout'\n"})
    python = tmp_path / "env" / "bin" / "python"
    done = subprocess.run([python, "-c", "import pkg; print(pkg.WHERE)"], env=ENVIRON, capture_output=True, check=True)
    assert done.stdout == b"checkout\n"


def test_the_folders_of_editable_installs_stand_in_the_environment(tmp_path: Path, empty_venv: Path) -> None:
    """Relative to the checkout, so that they can be found in any tree."""
    checkout = tmp_path / "checkout"
    site = environment(empty_venv, checkout / ".venv")
    write(site, {"a.pth": f"{checkout}/src\n# words\nimport sys\n{checkout}\n/usr/lib\n"})
    python = find_python(None, checkout, ENVIRON)
    assert python.environ("/t") == {
        "PYTHONPATH": str(KIT),
        "AGENTLOOP_TREE": "/t",
        "AGENTLOOP_CHECKOUT": str(checkout),
        "AGENTLOOP_PATHS": f"src{os.pathsep}.",
    }


def test_the_environments_own_sitecustomize_still_runs(tmp_path: Path, empty_venv: Path) -> None:
    """Ours comes first and hands on; one of the tree is never run, and one that raises stops nothing."""
    checkout, tree = tmp_path / "checkout", tmp_path / "tree"
    site = environment(empty_venv, tmp_path / "env")
    install(site, checkout, "flat")
    write(checkout, {"pkg/__init__.py": "WHERE = 'checkout'\n"})
    write(tree, {"pkg/__init__.py": "WHERE = 'tree'\n", "sitecustomize.py": "import builtins; builtins.planted = 1\n"})
    python = find_python(str(tmp_path / "env"), checkout, ENVIRON)
    code = "import builtins, pkg; print(pkg.WHERE, hasattr(builtins, 'own'), hasattr(builtins, 'planted'))"
    assert run(python, tree, code) == "tree False False"
    write(site, {"sitecustomize.py": "import builtins; builtins.own = 1\n"})
    assert run(python, tree, code) == "tree True False"
    write(site, {"sitecustomize.py": "raise RuntimeError('no')\n"})
    env = {**ENVIRON, **python.environ(str(tree))}
    done = subprocess.run([python.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "tree False False\n")
    assert "RuntimeError" in done.stderr


def test_the_kit_is_not_importable_from_the_tree(tmp_path: Path, empty_venv: Path) -> None:
    """Its folder leaves sys.path when its work is done."""
    environment(empty_venv, tmp_path / "env")
    python = find_python(str(tmp_path / "env"), None, ENVIRON)
    assert str(KIT) not in run(python, tmp_path, "import sys; print(sys.path)")


def test_the_first_that_is_named_is_taken(tmp_path: Path, empty_venv: Path) -> None:
    """`python:` before $VIRTUAL_ENV before .venv before our own."""
    repo = tmp_path / "repo"
    repo.mkdir()
    names = {name: str(tmp_path / name / "bin" / "python") for name in ("named", "active")}
    for name in names:
        environment(empty_venv, tmp_path / name)
    assert find_python(None, repo, ENVIRON).executable == sys.executable
    environment(empty_venv, repo / ".venv")
    active = {**ENVIRON, "VIRTUAL_ENV": str(tmp_path / "active")}
    assert find_python(None, repo, ENVIRON).executable == str(repo / ".venv" / "bin" / "python")
    assert find_python(None, repo, active).executable == names["active"]
    for wanted in ("../named", "../named/bin/python", str(tmp_path / "named"), names["named"]):
        assert find_python(wanted, repo, active).executable == names["named"]
    on_path = {**ENVIRON, "PATH": f"{tmp_path}/named/bin"}
    assert find_python("python3", repo, on_path).executable == str(tmp_path / "named" / "bin" / "python3")


FAKES = {
    "absent": (None, "does not run"),
    "not a program": ("hello\n", "does not run"),
    "silent": ("#!/bin/sh\nexit 0\n", "exit code 0"),
    "broken": ("#!/bin/sh\necho no such library >&2\nexit 1\n", "no such library"),
    "strange": ("#!/bin/sh\necho '[1]'\n", "does not run"),
    "old": ('#!/bin/sh\necho \'{"version": [3, 8, 18], "executable": "x"}\'\n', "is Python 3.8.18; 3.9 or newer"),
}


@pytest.mark.parametrize("name", FAKES)
def test_an_interpreter_that_is_no_use_is_refused_by_its_path(tmp_path: Path, name: str) -> None:
    """Whether it is missing, broken or too old, the path and the remedy are said."""
    text, word = FAKES[name]
    fake = tmp_path / "bin" / "python"
    if text is not None:
        write(tmp_path, {"bin/python": text})
        fake.chmod(0o755)
    with pytest.raises(Refused) as caught:
        find_python(str(fake), None, ENVIRON)
    assert str(fake) in str(caught.value)
    assert word in str(caught.value)
    assert "python:" in caught.value.remedy


def test_a_broken_environment_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    """An active environment that is gone is a mistake to mend, not a reason to use another one."""
    with pytest.raises(Refused, match="VIRTUAL_ENV"):
        find_python(None, tmp_path, {**ENVIRON, "VIRTUAL_ENV": str(tmp_path / "gone")})
    with pytest.raises(Refused, match="not on PATH"):
        find_python("python9.9", tmp_path, ENVIRON)


def test_what_is_readable_suffices_to_start(tmp_path: Path, empty_venv: Path) -> None:
    """Each link from the environment's python to the program, the prefixes and packages lie in the named folders."""
    home, checkout = tmp_path / "home", tmp_path / "home" / "checkout"
    site = environment(empty_venv, checkout / ".venv")
    write(home / "lib", {"neighbour.py": ""})
    write(checkout, {"src/secret.py": ""})
    write(site, {"a.pth": f"{checkout}/src\n{home}/lib\n{home}\n"})
    python = find_python(None, checkout, {**ENVIRON, "HOME": str(home)})
    covers = [Path(folder) for folder in python.readable]
    link = Path(python.executable)
    wanted = [link, site, home / "lib", KIT, Path(os.__file__), Path(sys.base_prefix)]
    while link.is_symlink():
        link = link.parent / os.readlink(link)
        wanted.append(link)
    for path in [*wanted, *(path.resolve() for path in wanted)]:
        assert any(path.is_relative_to(folder) for folder in covers), path
    for path in (home, checkout, checkout / "src"):
        assert not any(path.is_relative_to(folder) for folder in covers), path


def test_the_fingerprint_follows_the_packages(tmp_path: Path, empty_venv: Path) -> None:
    """Equal environments have equal ones; another version of a package changes it."""
    site = environment(empty_venv, tmp_path / "env")
    seen = []
    for version in ("1.0", "1.0", "1.1"):
        write(site, {"third-1.dist-info/METADATA": f"Metadata-Version: 2.1\nName: third\nVersion: {version}\n"})
        seen.append(find_python(str(tmp_path / "env"), None, ENVIRON).fingerprint)
    assert seen[0] == seen[1] != seen[2]
    assert json.dumps(seen)
