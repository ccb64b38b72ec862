"""The usual layouts of a Python project, with a real interpreter, sandbox and bench: red with the bug, then green."""

from __future__ import annotations

import json
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentloop.checks import KINDS
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.host.bench import Benches
from agentloop.host.python import KIT, find_python
from agentloop.host.sandbox import choose
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import Python
from tests.fakes import FakeBlobs, tree_of

BUG, FIX = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
TEST = "from {} import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
PACKAGES = sysconfig.get_path("purelib")
TRICK = "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parents[{}] / '{}'))\n"
AWAITED = """\
import asyncio

import pytest
{mark}
from shop import add


@pytest.fixture
{fixture}async def two():
    await asyncio.sleep(0)
    return 2


{test}async def test_add(two):
    await asyncio.sleep(0)
    assert add(two, 3) == 5
"""
ASYNCIO = {"mark": "import pytest_asyncio", "fixture": "", "test": "@pytest.mark.asyncio\n"}
SETTINGS = (
    "SECRET_KEY = 'x'\nINSTALLED_APPS = ['stock']\nUSE_TZ = True\n"
    "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\n"
)
MODEL = """\
from django.db import models
from shop import add


class Item(models.Model):
    name = models.CharField(max_length=20)
    left = models.IntegerField(default=0)

    def stock(self, number):
        self.left = add(self.left, number)
        self.save()
"""
DJANGO = """\
import pytest
from stock.models import Item


@pytest.mark.django_db
def test_stock():
    item = Item.objects.create(name="bolt", left=2)
    item.stock(3)
    assert Item.objects.get(name="bolt").left == 5


def test_settings(settings, client):
    assert settings.INSTALLED_APPS == ["stock"]
    assert client is not None
"""


@dataclass(frozen=True)
class Layout:
    """`source` is the file with the bug, `test` the path that the check names, `files` all the rest.

    `editable` is a folder of the checkout that an editable install adds to the path, where there is one.
    The quick half runs every day.
    """

    title: str
    files: Mapping[str, str]
    source: str = "shop.py"
    test: str = "tests/test_shop.py"
    editable: str = ""
    ids: tuple[str, ...] = ("test_add",)
    quick: bool = False


def plain(module: str = "shop", more: Mapping[str, str] | None = None) -> dict[str, str]:
    return {"tests/test_shop.py": TEST.format(module), **(more or {})}


LAYOUTS = (
    Layout("flat, no configuration", plain(), quick=True),
    Layout("flat, tests are a package", plain(more={"tests/__init__.py": ""})),
    Layout("flat, tests at the root", {"test_shop.py": TEST.format("shop")}, test="test_shop.py"),
    Layout("flat package, tests inside", {"shop/__init__.py": "", "shop/tests/__init__.py": "",
           "shop/tests/test_sums.py": TEST.format("..sums")}, "shop/sums.py", "shop/tests/test_sums.py"),
    Layout("src, pythonpath in pyproject.toml", plain("shop.sums", {"src/shop/__init__.py": "",
           "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\naddopts = '-ra --strict-markers'\n"}),
           "src/shop/sums.py", quick=True),
    Layout("src, path put right by the root's conftest.py", plain("shop.sums", {"src/shop/__init__.py": "",
           "conftest.py": TRICK.format(0, "src")}), "src/shop/sums.py"),
    Layout("src, path put right by the tests' conftest.py", plain("shop.sums", {"src/shop/__init__.py": "",
           "tests/conftest.py": TRICK.format(1, "src")}), "src/shop/sums.py"),
    Layout("helper modules beside the tests", {"tests/helper.py": "from shop import add\n\nFIVE = add(2, 3)\n",
           "tests/test_shop.py": "import helper\n\n\ndef test_add():\n    assert helper.FIVE == 5\n"}),
    Layout("import mode importlib", plain(more={"pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
           "tests/deep/test_shop.py": TEST.format("shop")})),
    Layout("setup.cfg with xdist in addopts", plain(more={"setup.cfg": "[tool:pytest]\naddopts = -n 2\n"
           "testpaths = tests\n"})),
    Layout("src, editable install by a path", plain("shop.sums", {"src/shop/__init__.py": ""}),
           "src/shop/sums.py", editable="src", quick=True),
    Layout("flat package, editable install by a path", plain("shop.sums", {"shop/__init__.py": ""}),
           "shop/sums.py", editable="."),
    Layout("asyncio, strict", {"tests/test_shop.py": AWAITED.format(
           **{**ASYNCIO, "fixture": ""}).replace("@pytest.fixture", "@pytest_asyncio.fixture")}, quick=True),
    Layout("asyncio, auto", {"tests/test_shop.py": AWAITED.format(mark="", fixture="", test=""),
           "pytest.ini": "[pytest]\nasyncio_mode = auto\n"}),
    Layout("django", {"tests/test_stock.py": DJANGO, "manage.py": "", "site_settings.py": SETTINGS,
           "stock/__init__.py": "", "stock/models.py": MODEL,
           "pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = site_settings\n"},
           test="tests/test_stock.py", ids=("test_settings", "test_stock"), quick=True),
)  # fmt: skip


@pytest.fixture(scope="module")
def own() -> Python:
    """The interpreter of these tests: pytest and the plugins are installed there."""
    return find_python(None, None, {})


def installed(checkout: Path, editable: str) -> Python:
    """A .venv of the checkout that has our packages and an editable install of the project."""
    venv.create(checkout / ".venv", symlinks=True, with_pip=False)
    site = next((checkout / ".venv").glob("lib/python3*/site-packages"))
    (site / "packages.pth").write_text(PACKAGES + "\n")
    (site / "__editable__.shop-1.pth").write_text(f"{(checkout / editable).resolve()}\n")
    return find_python(None, checkout, {})


def results(layout: Layout, home: Path, python: Python) -> tuple[CheckResult, CheckResult]:
    """The check on the tree with the bug and on the mended one; the checkout holds what neither may import."""
    for path in (*layout.files, layout.source):
        (home / "checkout" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "checkout" / path).write_text("raise SystemExit('this is the checkout')\n")
    blobs = FakeBlobs()
    trees = [
        tree_of(blobs, {path: text.encode() for path, text in {**layout.files, layout.source: code}.items()})
        for code in (BUG, FIX)
    ]
    benches = Benches(choose("full"), DiskWorkspace(blobs, trees[0], home / "work"), python, str(KIT), ())
    spec = CheckSpec(kind="pytest", params=layout.test, name="shop", timeout=60.0)
    found = []
    for tree in trees:
        with benches.open(tree) as bench:
            found.append(KINDS["pytest"].run(spec, bench))
    return found[0], found[1]


@pytest.mark.parametrize(
    "layout", [pytest.param(case, id=case.title, marks=[] if case.quick else [pytest.mark.slow]) for case in LAYOUTS]
)
def test_a_layout_works_as_it_stands(layout: Layout, tmp_path: Path, own: Python) -> None:
    """By the ids that count: the test about the bug fails, and passes when it is mended; the canary was held."""
    (tmp_path / "checkout").mkdir()
    python = installed(tmp_path / "checkout", layout.editable) if layout.editable else own
    red, green = results(layout, tmp_path, python)
    about = f"{layout.test}::{layout.ids[-1]}"
    assert (red.status, red.failing) == ("failed", (about,)), red
    assert (green.status, green.reason) == ("passed", ""), json.dumps(green.model_dump(), default=str)
    assert sorted(green.ids) == [f"{layout.test}::{name}" for name in layout.ids]
    assert green.strength == "visible"
