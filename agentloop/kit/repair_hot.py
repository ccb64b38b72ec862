"""Puts a changed function into a process that has imported the unchanged one: nothing has to be imported again."""

import gc
import os
from types import CodeType, FunctionType


def index(tree):
    """(file, first line, name) → the functions of `tree` that are alive here. To be made before gc.freeze()."""
    found: dict[tuple[str, int, str], list[FunctionType]] = {}
    for item in gc.get_objects():
        if isinstance(item, FunctionType):
            code = item.__code__
            path = os.path.realpath(code.co_filename)
            if path.startswith(tree + os.sep):
                found.setdefault((path, code.co_firstlineno, code.co_name), []).append(item)
    return found


def swap(alive, path, data, candidate):
    """Make the candidate's edits in the living functions. Returns "" where that was done; else absent, where no such
    function is alive, or unfit, where it can't be told to be the same as importing the file.

    `part` of the candidate is where the outermost function around all edits stands: first byte, last byte, first
    line, class that holds it (empty: none) and compiler flags.
    """
    start, end, line, owner, flags = candidate["part"]
    text = data[start:end]
    for first, last, new in sorted(candidate["edits"], reverse=True):
        text = text[: first - start] + new.encode() + text[last - start :]
    indent = data[data.rfind(b"\n", 0, start) + 1 : start]
    before, after = (compiled(indent, owner, line, part, path, flags) for part in (data[start:end], text))
    if before is None or after is None or outside(before) != outside(after):
        return "unfit"
    (old,), (new,) = functions(before), functions(after)
    living = alive.get((path, old.co_firstlineno, old.co_name), [])
    if not living or shape(old) != shape(new):
        return "unfit" if living else "absent"
    for function in living:
        function.__code__ = new
    return ""


def compiled(indent, owner, line, text, path, flags):
    """The code that holds the function alone: a module's or a class's; None where there is no one function."""
    head = b"class " + owner.encode() + b":\n" if owner else b"if 1:\n" if indent else b""
    above = b"\n" * (line - 1 - bool(head))
    if indent and not head:
        return None
    try:
        code = compile(above + head + indent + text, path, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    if owner:
        held = functions(code)
        code = held[0] if len(held) == 1 else None
    return code if code and len(functions(code)) == 1 else None


def functions(code):
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def outside(code):
    """What runs when the function is defined: its decorators, defaults and annotations."""
    return code.co_code, code.co_names, [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]


def shape(code):
    """What must stay for callers and for the cells that a function brings along."""
    flags = code.co_flags & 0b1100  # *args, **kwargs
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return code.co_freevars, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags, names
