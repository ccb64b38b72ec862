"""Whether two versions of a file are the same program: compared function by function, as bytecode."""

from __future__ import annotations
import __future__

import ast
import warnings
from bisect import bisect_right
from types import CodeType
from typing import Any

from agentloop.workers.repair.source import Edit, Function, Source

Shape = tuple[int, Any]
"""Where the changed part begins, and what it compiles to."""


class Shapes:
    """Compiles the part of a file that an edit changes: the outermost function around it, or the whole statement."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parts = sorted(_parts(source, source.tree.body))
        self.flags = future_flags(source)

    def known(self) -> set[Shape]:
        """The shapes that the file has as it is."""
        whole = [part for part in self.parts if not self._split(part[0])]
        return {shape for part in [*whole, (0, len(self.source.data))] if (shape := self._shape(*part, ()))}

    def of(self, *edits: Edit) -> Shape | None:
        """The shape of what `edits`, in order and apart from each other, make; None where it does not compile."""
        parts: dict[tuple[int, int], list[Edit]] = {}
        for edit in edits:
            parts.setdefault(self._around(edit.start, edit.end), []).append(edit)
        if (0, len(self.source.data)) in parts:
            return self._shape(0, len(self.source.data), edits)
        shapes = [self._shape(*part, tuple(held)) for part, held in parts.items()]
        if len(shapes) == 1:
            return shapes[0]
        return None if None in shapes else (0, tuple(shapes))

    def _around(self, first: int, last: int) -> tuple[int, int]:
        at = bisect_right(self.parts, (first, len(self.source.data) + 1)) - 1
        if at >= 0 and self.parts[at][1] >= last and not self._split(self.parts[at][0]):
            return self.parts[at]
        return 0, len(self.source.data)

    def _split(self, start: int) -> bool:
        """Whether something other than white space stands before `start` on its line."""
        line = self.source.starts[bisect_right(self.source.starts, start) - 1]
        return bool(self.source.data[line:start].strip())

    def _shape(self, start: int, end: int, edits: tuple[Edit, ...]) -> Shape | None:
        text, at = b"", start
        for edit in edits:
            text += self.source.data[at : edit.start] + edit.text
            at = edit.end
        text += self.source.data[at:end]
        if start:
            line = self.source.starts[bisect_right(self.source.starts, start) - 1]
            indent = self.source.data[line:start]
            text = (b"if 1:\n" if indent else b"") + indent + text
        try:
            with warnings.catch_warnings(action="ignore"):
                code = compile(text, "<candidate>", "exec", flags=self.flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, OverflowError, MemoryError):
            return None
        return start, _plain(code)


def future_flags(source: Source) -> int:
    """Compiler flags of the file's `from __future__` imports."""
    flags = 0
    for node in source.tree.body:
        for alias in node.names if isinstance(node, ast.ImportFrom) and node.module == "__future__" else ():
            flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def _parts(source: Source, body: list[ast.stmt]) -> list[tuple[int, int]]:
    """Spans of the outermost functions, and of the module's statements that hold none."""
    found: list[tuple[int, int]] = []
    for node in body:
        held = node.body if isinstance(node, ast.ClassDef) else []
        if held:
            found += _parts(source, [item for item in held if isinstance(item, (*Function.__args__, ast.ClassDef))])
        else:
            found.append(source.span(node))
    return found


def _plain(value: Any) -> Any:
    """Code as data that compares by what it does: no names of files, no line numbers."""
    if isinstance(value, CodeType):
        names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_name)
        counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
        table = getattr(value, "co_exceptiontable", b"")
        return value.co_code, tuple(_plain(item) for item in value.co_consts), names, counts, table
    if isinstance(value, (tuple, frozenset)):
        items = [_plain(item) for item in value]
        return type(value).__name__, tuple(sorted(items, key=repr) if isinstance(value, frozenset) else items)
    return type(value).__name__, repr(value)
