"""Makes this process see a copy of the tree as ``python -m pytest`` started in it would."""

import contextlib
import importlib
import importlib.util
import os
import sys
import threading

KIT = os.path.dirname(os.path.abspath(__file__))
BARE = ("-q", "-p", "no:cacheprovider")
QUIET = ("--no-cov",)
"""Options for plugins that measure by themselves; left out where pytest does not know them."""


def under(path, folder):
    """Whether `path`, links resolved, lies in `folder`, which is resolved already."""
    return os.path.realpath(path).startswith(folder.rstrip(os.sep) + os.sep)


def leave(tree):
    """Forget the kit's folder and whatever of `tree` this process can import or has imported."""
    tree = os.path.realpath(tree)
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != KIT]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and under(file, tree):
            del sys.modules[name]


def enter(root, tree):
    """Work in `root`, a copy of `tree`: its folders take the place of the tree's, and its root comes first."""
    root, tree = os.path.realpath(root), os.path.realpath(tree)
    os.chdir(root)
    os.environ["AGENTLOOP_TREE"] = root
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    entries = [root, *(moved(entry, root, tree) for entry in sys.path)]
    source = os.path.join(root, "src")
    # Last, so that an installed package is what it is for the user.
    sys.path[:] = dict.fromkeys([*entries, source] if os.path.isdir(source) else entries)
    for finder in sys.meta_path:
        module = sys.modules.get(getattr(finder, "__module__", None) or type(finder).__module__)
        if module is not None and module.__name__.startswith("__editable__"):
            for package, path in dict(getattr(module, "MAPPING", {})).items():
                module.MAPPING[package] = moved(path, root, tree)
            for package, paths in dict(getattr(module, "NAMESPACES", {})).items():
                module.NAMESPACES[package] = [moved(path, root, tree) for path in paths]
    importlib.invalidate_caches()


def distrust_bytecode(root):
    """Look at no bytecode any more: same-size sources written within one second look the same to its cache.

    To be called when pytest and its plugins are there; importing them without their bytecode would take long.
    """
    sys.pycache_prefix = os.path.join(root, ".no-bytecode")


def moved(path, root, tree):
    """Where `path` of the tree is in its copy."""
    if not os.path.isabs(path) or not under(path + os.sep + "x", tree) or under(path, os.path.realpath(sys.prefix)):
        return path
    return os.path.normpath(os.path.join(root, os.path.relpath(os.path.realpath(path), tree)))


def options(root):
    """What every run of pytest is given; `QUIET` only where pytest-cov is installed."""
    quiet = QUIET if importlib.util.find_spec("pytest_cov") else ()
    return [*BARE, *quiet, "--rootdir=" + os.path.realpath(root)]


def run(arguments, plugins):
    """Run pytest; once more without `QUIET` where it did not take that. Returns the exit code."""
    pytest = importlib.import_module("pytest")
    code = int(pytest.main(arguments, plugins=plugins))
    if code == 4 and any(option in arguments for option in QUIET):
        code = int(pytest.main([option for option in arguments if option not in QUIET], plugins=plugins))
    return code


def alone(config):
    """Keep a run in this process: no workers of pytest-xdist."""
    if hasattr(config.option, "numprocesses"):
        config.option.numprocesses, config.option.dist, config.option.tx = 0, "no", []


def borrowed(name, folder):
    """A package of this interpreter, else the one in `folder`; nothing else is ever taken from there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        sys.path.append(folder)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(folder)


def warm_up(names):
    """Import what does not change, once, so that the forks need not. Returns whether forks may rely on it."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    saved = os.dup(1), os.dup(2)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for name in ["pytest", *names]:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    for kept, number in zip(saved, (1, 2)):  # noqa: B905 -- Python 3.9 knows no strict=
        os.dup2(kept, number)
        os.close(kept)
    os.close(quiet)
    # A thread does not live on in a fork, but its locks do.
    return threading.active_count() == 1
