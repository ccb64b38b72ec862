"""Rules about test runners: code under test has no business with the one that tests it."""

from __future__ import annotations

import ast
import re

from agentloop.core.suspect.page import Page

FRAMEWORKS = {"pytest", "_pytest", "nose", "pluggy", "unittest", "xunitparser"}
INTERNALS = {"TestReport", "CollectReport", "runtestprotocol", "call_runtest_hook", "PYTEST_CURRENT_TEST"}
_NAMES = re.compile(r"^_?pytest(?:\.|$)|^py\.test$|PYTEST_|^unittest\.(?:case|mock|result|runner|suite)$")
_HOOK = re.compile(r"^pytest_(?:runtest|collect|sessionfinish|report|itemcollected|pyfunc|fixture|make)\w*$|^runtest$")
STREAMS = {
    "stdin",
    "stdout",
    "stderr",
    "argv",
    "path",
    "ps1",
    "ps2",
    "excepthook",
    "displayhook",
    "dont_write_bytecode",
}


def imports_framework(node: ast.AST, page: Page) -> bool:
    """A test framework imported by code that is not a test."""
    names = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return any(name.split(".")[0] in FRAMEWORKS for name in names)


def touches_runner(node: ast.AST, page: Page) -> bool:
    """`_pytest`, TestReport, a hook's name, or the word pytest as a value to look for."""
    match node:
        case ast.Import():
            return any(alias.name.split(".")[0] == "_pytest" for alias in node.names)
        case ast.ImportFrom():
            return (node.module or "").split(".")[0] == "_pytest"
        case ast.Attribute():
            return node.attr in INTERNALS or bool(_HOOK.match(node.attr))
        case ast.Name():
            return node.id in INTERNALS
        case ast.FunctionDef():
            return bool(_HOOK.match(node.name))
        case ast.Constant() if isinstance(node.value, str) and node not in page.prose:
            return bool(_NAMES.search(node.value) or _HOOK.match(node.value))
    return False


def patches(node: ast.AST, page: Page) -> bool:
    """An attribute of another module, of `builtins` or of `sys.modules` set from outside."""
    if isinstance(node, ast.Call) and page.dotted(node.func) in ("setattr", "delattr") and node.args:
        return _foreign(page.dotted(node.args[0]), page)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
        whole = page.dotted(node.value)
        if whole == "sys.modules":
            # A module that puts something in its own place is common, and harms nobody else.
            return "__name__" not in ast.dump(node.slice)
        return whole.endswith(".__dict__") and _foreign(whole.removesuffix(".__dict__"), page)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
        if node.attr in ("__code__", "__bases__"):
            return True
        return not (node.attr in STREAMS or node.attr.startswith("_own")) and _foreign(page.dotted(node.value), page)
    return False


def _foreign(dotted: str, page: Page) -> bool:
    """Whether `dotted` is a module, or lies in one, that is not of the file's own package."""
    head = dotted.split(".")[0]
    if dotted in ("__builtins__", "builtins"):
        return True
    imported = {name.split(".")[0] for name in page.names.values()}
    own = set(page.path.removesuffix(".py").split("/"))
    return head in imported and head not in own and not _private_alias(dotted, page)


def _private_alias(dotted: str, page: Page) -> bool:
    """An object imported from elsewhere in the same project can't be told from a foreign one by its name alone:
    only modules of the standard library and the frameworks count."""
    return dotted.split(".")[0] not in STANDARD | FRAMEWORKS


STANDARD = {
    "abc", "argparse", "ast", "asyncio", "atexit", "base64", "bisect", "builtins", "collections", "contextlib", "copy",
    "csv", "ctypes", "dataclasses", "datetime", "decimal", "difflib", "enum", "faulthandler", "fractions", "functools",
    "gc", "hashlib", "heapq", "hmac", "importlib", "inspect", "io", "itertools", "json", "linecache", "math", "numbers",
    "operator", "os", "pathlib", "pickle", "platform", "posix", "pprint", "queue", "random", "re", "secrets", "select",
    "shutil", "site", "sqlite3", "statistics", "string", "struct", "subprocess", "sys", "sysconfig", "tempfile",
    "textwrap", "threading", "time", "traceback", "types", "typing", "unicodedata", "uuid", "weakref", "zlib",
}  # fmt: skip
