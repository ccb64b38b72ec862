"""Makes an editable install that points at the user's checkout point at the tree under test instead.

Its folder is first on PYTHONPATH of every Python process of a run. Read from the environment:
AGENTLOOP_CHECKOUT (the user's working copy), AGENTLOOP_TREE (the tree under test) and AGENTLOOP_PATHS (the folders
that editable installs add, relative to the checkout, joined with os.pathsep; in a sandbox the checkout is not
there, and `site` leaves out paths that do not exist). The environment's own sitecustomize runs afterwards.
Nothing in here raises: a Python that does not start would be blamed on the tree.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

KIT = os.path.dirname(os.path.abspath(__file__))


def inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it, links resolved."""
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def moved(path: str, checkout: str, tree: str) -> str:
    """Where `path` is in the tree, if it is the checkout's; a virtual environment in there stays where it is."""
    if not os.path.isabs(path) or not inside(path, checkout) or inside(path, sys.prefix) or inside(path, tree):
        return path
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(checkout))
    return os.path.normpath(os.path.join(tree, relative))


def remap_paths(checkout: str, tree: str, relatives: list[str]) -> None:
    """Put the tree's folders where the checkout's were, and those that were not there at the end."""
    entries = [moved(entry, checkout, tree) for entry in sys.path]
    entries += [os.path.normpath(os.path.join(tree, relative)) for relative in relatives if relative]
    sys.path[:] = dict.fromkeys(entries)


def remap_finders(checkout: str, tree: str) -> None:
    """Rewrite the mappings of setuptools' editable finders."""
    for finder in sys.meta_path:
        name = getattr(finder, "__module__", None) or type(finder).__module__
        module = sys.modules.get(name)
        if module is None or not name.startswith("__editable__"):
            continue
        for package, path in dict(getattr(module, "MAPPING", {})).items():
            module.MAPPING[package] = moved(path, checkout, tree)
        for package, paths in dict(getattr(module, "NAMESPACES", {})).items():
            module.NAMESPACES[package] = [moved(path, checkout, tree) for path in paths]


def run_own(tree: str) -> None:
    """Run the sitecustomize that the environment itself has, never one of the tree."""
    places = [entry for entry in sys.path if entry and not (tree and inside(entry, tree))]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def start() -> None:
    checkout, tree = os.environ.get("AGENTLOOP_CHECKOUT", ""), os.environ.get("AGENTLOOP_TREE", "")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != KIT]
    steps: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(run_own, (tree,))]
    if tree and checkout:
        relatives = os.environ.get("AGENTLOOP_PATHS", "").split(os.pathsep)
        steps = [(remap_paths, (checkout, tree, relatives)), (remap_finders, (checkout, tree)), *steps]
    for step, arguments in steps:
        try:
            step(*arguments)
        except Exception as error:  # noqa: BLE001  see the module's docstring
            sys.stderr.write("sitecustomize: " + repr(error) + "\n")


start()
