"""A Python file as syntax with byte places, so that an edit changes what it names and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Edit:
    """Replace bytes `start` to `end` of a file by `text`. `line` is where it bites, `template` what made it."""

    path: str
    start: int
    end: int
    text: bytes
    template: str
    line: int


class Source:
    """A file's bytes and its syntax tree. Raises SyntaxError or ValueError for what Python can't parse."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        data.decode("utf-8")
        self.tree = ast.parse(data)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    @cached_property
    def starts(self) -> list[int]:
        """Byte offset of each line; index 0 is line 1."""
        starts = [0]
        for line in self.data.split(b"\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
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
        """How `node` is written."""
        start, end = self.span(node)
        return self.data[start:end].decode("utf-8")

    def indent(self, node: ast.stmt) -> str:
        """The white space before a statement."""
        start = self.starts[node.lineno - 1]
        return self.data[start : start + node.col_offset].decode("utf-8")

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that `node` is part of."""
        found: ast.AST | None = node
        while found is not None and not isinstance(found, ast.stmt):
            found = self.parents.get(found)
        return found

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
        """Expressions that begin on one of `lines`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr) and node.lineno in lines:
                yield node

    def statements(self, lines: set[int]) -> Iterator[ast.stmt]:
        """Statements that begin on one of `lines`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and node.lineno in lines:
                yield node
