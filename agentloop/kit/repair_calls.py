"""Keeps the arguments with which tests call the functions of the tree, so that they can be called so again."""

import base64
import os
import pickle
import threading

MOST, SIZE = 30, 20_000
"""Calls of one function that are kept, and bytes of the arguments of one."""

VARIABLE = 0b1100
"""Flags of a function that takes ``*args`` or ``**kwargs``."""

LAZY = 0b1010100000
"""Flags of generators and coroutines, whose calls do nothing yet."""


class Calls:
    """`found` is path → first line → `module`, `name` and `calls`: pairs of test and arguments, pickled."""

    def __init__(self):
        self.test = ""
        self.found: dict[str, dict[int, dict]] = {}  # type: ignore[type-arg]
        self.busy = False

    def keep(self, path, frame):
        """Keep the arguments of a call that begins in `frame`; what can't be pickled is left."""
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        if self.busy or not self.test or code.co_flags & (VARIABLE | LAZY) or "<" in name:
            return
        if threading.current_thread() is not threading.main_thread():
            return
        kept = self.found.setdefault(path, {}).setdefault(
            code.co_firstlineno, {"module": frame.f_globals.get("__name__"), "name": name, "calls": []}
        )
        if len(kept["calls"]) >= MOST or kept["module"] == "__main__" or os.path.basename(path).startswith("test_"):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if not all(name in frame.f_locals for name in names):
            return
        self.busy = True
        try:
            values = {name: frame.f_locals[name] for name in names}
            data = pickle.dumps(
                (list(values.values())[: code.co_argcount], dict(list(values.items())[code.co_argcount :]))
            )
            if len(data) <= SIZE:
                kept["calls"].append([self.test, base64.b64encode(data).decode()])
        except Exception:  # noqa: BLE001 -- whatever pickling meets in foreign objects, the call is left out
            return
        finally:
            self.busy = False
