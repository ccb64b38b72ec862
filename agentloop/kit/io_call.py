"""Calls one function of the tree and writes what it returned: ``python io_call.py REQUEST``.

REQUEST is a JSON file with `call` (``module:function``), `args`, `kwargs`, `tree` and `result`; it is deleted before
any code of the tree runs. What is expected is not in it: whoever started this compares. The result is
``{"answer": ["returned", VALUE] | ["raised", [CLASS NAMES]] | ["odd", null], "text": TEXT}``. Only plain JSON values
are returned: an object of a class of its own, even one derived from int, is `odd`, whatever it claims to be equal to.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from typing import Any

KIT = os.path.dirname(os.path.abspath(__file__))


def main(request_file: str) -> None:
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    os.unlink(request_file)
    tree = request["tree"]
    places = [tree, os.path.join(tree, "src")] if os.path.isdir(os.path.join(tree, "src")) else [tree]
    sys.path[:] = [*places, *(entry for entry in sys.path if os.path.abspath(entry or ".") not in (KIT, tree))]
    said = json.dumps(outcome(request))
    handle = os.open(request["result"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(said)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads that the code left behind do not hold us up


def outcome(request: dict[str, Any]) -> dict[str, Any]:
    """What became of the call."""
    module, _, name = request["call"].partition(":")
    try:
        target: Any = importlib.import_module(module)
        for part in name.split("."):
            target = getattr(target, part)
    except BaseException as error:  # noqa: BLE001  whatever the tree raises is a result to report
        return odd("can't import " + request["call"] + ": " + described(error))
    try:
        value = target(*request["args"], **request["kwargs"])
    except BaseException as error:  # noqa: BLE001  as above
        names = [kind.__name__ for kind in type(error).__mro__]
        return {"answer": ["raised", names], "text": "it raised " + described(error)}
    try:
        why = unlike_json(value)
    except RecursionError:
        why = "something nested too deep"
    return odd("it returned " + why) if why else {"answer": ["returned", value], "text": ""}


def odd(text: str) -> dict[str, Any]:
    return {"answer": ["odd", None], "text": text}


def described(error: BaseException) -> str:
    try:
        return (type(error).__name__ + ": " + str(error))[:200]
    except BaseException:  # noqa: BLE001  an exception that can't be told is still one
        return type(error).__name__


def unlike_json(value: Any) -> str:
    """What in `value` is not plain JSON; empty where all of it is. A tuple counts as a list."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return ""
    if kind is float:
        return "" if math.isfinite(value) else "the number " + repr(value) + ", which JSON does not have"
    if kind in (list, tuple):
        return next(filter(None, map(unlike_json, value)), "")
    if kind is dict:
        strange = [key for key in value if type(key) is not str]
        if strange:
            return "a map with a key of type " + type(strange[0]).__name__ + ", which JSON does not have"
        return next(filter(None, map(unlike_json, value.values())), "")
    return "an object of type " + kind.__name__ + ", which is no plain JSON value"


if __name__ == "__main__":
    main(sys.argv[1])
