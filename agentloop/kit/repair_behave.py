"""Calls one function of several versions of a file and tells what it does: ``python repair_behave.py REQUEST``.

REQUEST is a JSON file with `tree` (a copy that may be changed), `root` (the tree it is a copy of), `path`, `versions`
(lists of edits: first byte, last byte, text), `module`, `name`, `calls` (pickled arguments) and `out`. The answer in
`out` is JSON: for each version `kept`, what came of the calls as they are, and `made`, what came of variations of them.
"""

import base64
import gc
import importlib
import json
import os
import pickle
import re
import signal
import sys
from typing import Any

import repair_hang as hanging  # type: ignore[import-not-found]
import repair_place  # type: ignore[import-not-found]

EACH, MADE = 0.3, 60
"""Seconds of processor time for one call, and variations that are tried."""


def main():
    """Serve one request; each version is imported in a process of its own."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    repair_place.leave(request["tree"])
    repair_place.enter(request["tree"], request["root"])
    repair_place.distrust_bytecode(request["tree"])
    place = os.path.join(request["tree"], request["path"])
    with open(place, "rb") as file:
        before = file.read()
    answers = []
    for edits in request["versions"]:
        text = before
        for first, last, new in sorted(edits, reverse=True):
            text = text[:first] + new.encode() + text[last:]
        with open(place, "wb") as file:
            file.write(text)
        answers.append(apart(request))
    with open(place, "wb") as file:
        file.write(before)
    with open(request["out"], "w", encoding="utf-8") as file:
        json.dump(answers, file)
    os._exit(0)


def apart(request):
    """What one version does, found out in a fork; nothing where the fork did not come to its end."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer: dict[str, list[list[str]]] = {"kept": [], "made": []}
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            answer = behaviour(request)
        finally:
            with os.fdopen(write, "w", encoding="utf-8") as file:
                json.dump(answer, file)
            os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as file:
        text = file.read()
    os.waitpid(pid, 0)
    return json.loads(text or '{"kept": [], "made": []}')


def behaviour(request):
    target = importlib.import_module(request["module"])
    for part in request["name"].split("."):
        target = getattr(target, part)
    gc.disable()
    kept = [told(target, data) for data in request["calls"]]
    made: list[list[str]] = []
    for data in request["calls"]:
        positional, _ = opened(data)
        for place, value in enumerate(positional):
            for number in range(len(variations(value))):
                if len(made) < MADE:
                    made.append(told(target, data, place, number))
    return {"kept": kept, "made": made}


def opened(data):
    """Arguments that the tests gave, as kept by the tracer in this same sandbox."""
    return pickle.loads(base64.b64decode(data))  # noqa: S301 -- no more can happen than what the tests themselves do


def plain(value):
    """How a value is written, without the addresses of objects."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))[:2000]


def told(target, data, place=None, number=0):
    """What a call does: value, error or hang, and which. Arguments are made anew: a call may change them."""
    positional, named = opened(data)
    if place is not None:
        positional[place] = variations(positional[place])[number]
    hanging.watch(EACH)
    try:
        value = target(*positional, **named)
        return ["value", plain(value), plain(positional)]
    except hanging.TooSlow:
        return ["hang", "", ""]
    except BaseException as error:  # noqa: BLE001 -- whatever it raises is what it does
        return ["error", type(error).__name__, ""]
    finally:
        hanging.watch(0)


def variations(value: Any):
    """Values like `value`, the plainest first."""
    if isinstance(value, bool) or value is None:
        return [not value]
    if isinstance(value, (int, float)):
        return [0, value + 1, value - 1, -value]
    if isinstance(value, (str, bytes, list, tuple)):
        return [value[:0], value[:1], value[:-1], value + value[:1], value[::-1]]  # type: ignore[operator]
    if isinstance(value, (dict, set)):
        return [type(value)()]
    return []


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
