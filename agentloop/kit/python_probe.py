"""Prints what an interpreter is and has, as one line of JSON.

Read by Pythons that are too old to be used, too, so that they can say how old they are.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import site
import sys
from typing import Any


def pth_folders(folders: list[str]) -> list[str]:
    """The folders that .pth files add, as they stand there, existing or not."""
    found: list[str] = []
    for folder in folders:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            if name.endswith(".pth"):
                with open(os.path.join(folder, name), "rb") as file:
                    lines = file.read().decode("utf-8", "replace").splitlines()
                plain = [line.strip() for line in lines if not line.startswith(("#", "import ", "import\t"))]
                found += [os.path.join(folder, line) for line in plain if line]
    return found


def finder_paths() -> list[str]:
    """Where setuptools' editable finders look for packages."""
    found: list[str] = []
    for finder in sys.meta_path:
        name = getattr(finder, "__module__", None) or type(finder).__module__
        module = sys.modules.get(name)
        if module is not None and name.startswith("__editable__"):
            found += getattr(module, "MAPPING", {}).values()
            found += [path for paths in getattr(module, "NAMESPACES", {}).values() for path in paths]
    return found


def packages() -> list[str]:
    """``name version`` of each installed distribution."""
    metadata = importlib.import_module("importlib.metadata")
    return sorted({str(dist.metadata["Name"]) + " " + str(dist.version) for dist in metadata.distributions()})


def main() -> None:
    found: dict[str, Any] = {"version": list(sys.version_info[:3]), "executable": sys.executable}
    if sys.version_info >= (3, 9):  # noqa: UP036
        folders = list(site.getsitepackages()) + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
        found["build"] = platform.python_implementation() + " " + sys.version + " " + platform.machine()
        found["prefixes"] = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
        found["path"] = [entry for entry in sys.path if os.path.isabs(entry)]
        found["site"] = folders
        found["pth"] = pth_folders(folders)
        found["finders"] = finder_paths()
        found["packages"] = packages()
    print(json.dumps(found))


main()
