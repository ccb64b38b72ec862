"""A Python file as syntax with byte places, so that an edit changes what it names and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef

Types = Mapping[int, Mapping[str, Sequence[str]]]
"""First line of a function → variable → names of the types that were seen there."""

BOM = b"\xef\xbb\xbf"
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""Where a file names its encoding, on one of its first two lines."""


@dataclass(frozen=True)
class Edit:
    """Replace bytes `start` to `end` of a file by `text`. `line` is where it bites, `template` what made it.

    `weight` is how likely it is among edits of its template: 1.0 is usual.
    """

    path: str
    start: int
    end: int
    text: bytes
    template: str
    line: int
    weight: float = 1.0


class Source:
    """A file's bytes and its syntax tree. Raises SyntaxError or ValueError for what Python can't parse, and for
    files that are not UTF-8 or have line ends of old Macs, where the places that Python tells are not byte places."""

    def __init__(self, path: str, data: bytes, types: Types | None = None) -> None:
        self.path = path
        self.types = types or {}
        self.data = data
        data.decode("utf-8")
        named = [match[1].lower() for line in data.split(b"\n")[:2] if (match := COOKIE.match(line))]
        if re.search(rb"\r(?!\n)", data) or any(not name.startswith((b"utf-8", b"utf8", b"ascii")) for name in named):
            raise ValueError(f"{path}: not UTF-8 with ordinary line ends")
        self.tree = ast.parse(data)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.known: dict[Any, Any] = {}
        """What was found out about this file, kept for the next to ask."""
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    @cached_property
    def starts(self) -> list[int]:
        """Byte offset of each line; index 0 is line 1."""
        starts = [len(BOM) if self.data.startswith(BOM) else 0]
        at = 0
        for line in self.data.split(b"\n")[:-1]:
            at += len(line) + 1
            starts.append(at)
        return starts

    @property
    def newline(self) -> bytes:
        """The file's line end."""
        return b"\r\n" if b"\r\n" in self.data else b"\n"

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        """Where `node` stands, as byte offsets."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        """How `node` is written, without brackets around it."""
        start, end = self.span(node)
        return self.data[start:end].decode("utf-8")

    def changed(self, node: ast.expr | ast.stmt, *parts: tuple[int, int, str]) -> str:
        """How `node` is written with each (start, end, text) in place of those bytes of the file; all else stays."""
        at, end = self.span(node)
        text = ""
        for first, last, new in sorted(parts):
            text += self.data[at:first].decode("utf-8") + new
            at = last
        return text + self.data[at:end].decode("utf-8")

    def operator(self, left: ast.expr, right: ast.expr, symbol: str) -> tuple[int, int]:
        """Where the operator between two operands stands. Raises ValueError where it is not found."""
        first, last = self.span(left)[1], self.span(right)[0]
        # Brackets and comments may stand between an operand and its operator.
        between = re.sub(rb"#[^\n]*", lambda match: b" " * len(match[0]), self.data[first:last])
        found = re.search(re.escape(symbol).replace(r"\ ", r"\s+").encode(), between)
        if found is None:
            raise ValueError(f"{self.path}:{left.lineno}: no {symbol!r} between the operands")
        return first + found.start(), first + found.end()

    def side(self, node: ast.expr, first: bool, edge: int) -> str:
        """One operand of `node` with its brackets: what stands before `edge`, or behind it."""
        start, end = self.span(node)
        return self.data[slice(start, edge) if first else slice(edge, end)].decode("utf-8").strip()

    def indent(self, node: ast.stmt) -> str:
        """The white space before a statement."""
        start = self.starts[node.lineno - 1]
        return self.data[start : start + node.col_offset].decode("utf-8")

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around `node`."""
        found = self.parents.get(node)
        while found is not None and not isinstance(found, Function):
            found = self.parents.get(found)
        return found

    def loop(self, node: ast.AST) -> ast.For | ast.While | None:
        """The innermost loop around `node` within its function."""
        found = self.parents.get(node)
        while found is not None and not isinstance(found, (*Function.__args__, ast.For, ast.While)):
            found = self.parents.get(found)
        return found if isinstance(found, (ast.For, ast.While)) else None

    def edited(self, edit: Edit) -> bytes:
        """The file with `edit` made."""
        return self.data[: edit.start] + edit.text + self.data[edit.end :]

    def expressions(self, lines: set[int]) -> Iterator[ast.expr]:
        """Expressions that begin on one of `lines` and stand where the tree says they do."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr) and node.lineno in lines and self.placed(node):
                yield node

    def statements(self, lines: set[int]) -> Iterator[ast.stmt]:
        """Statements that begin on one of `lines`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and node.lineno in lines:
                yield node

    def placed(self, node: ast.expr) -> bool:
        """Whether the place of `node` can be relied on: within f-strings, Pythons before 3.12 tell wrong ones."""
        above: ast.AST | None = self.parents.get(node)
        while above is not None and not isinstance(above, (ast.JoinedStr, ast.stmt)):
            above = self.parents.get(above)
        if not isinstance(above, ast.JoinedStr):
            return True
        try:
            return ast.dump(ast.parse(f"({self.text(node)})", mode="eval").body) == ast.dump(node)
        except (SyntaxError, ValueError, IndexError):
            return False
