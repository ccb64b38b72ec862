"""Changing files by whole fenced blocks: for models that do better with these than with tool calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.core.blocks import Block, Unclosed, blocks
from agentloop.core.splice import Unfit, definitions, parsed, parts, splice
from agentloop.ports import Desk, DeskError
from agentloop.tools.arguments import Arguments, fitted
from agentloop.tools.described import described


class BlocksArguments(Arguments):
    """A model's whole answer."""

    answer: str


class Blocks:
    """Apply the fenced blocks of an answer: whole files, or functions put in by name. All of them, or none."""

    spec = described("blocks", __doc__, BlocksArguments)

    def __init__(self, refusal: Callable[[str], str | None]) -> None:
        self._refusal = refusal

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        """Say which files changed. Raises DeskError, with nothing changed, for a block that can't be applied."""
        try:
            found = blocks(fitted(BlocksArguments, arguments).answer)
        except Unclosed as error:
            raise DeskError(str(error)) from error
        if not found:
            raise DeskError("there is no fenced block in the answer; send the changed function or file in one")
        files = desk.files()
        pending: dict[str, str] = {}
        for block in found:
            path = block.path or self._home(block, desk, files)
            before = pending.get(path) or (_text(desk, path) if path in files else None)
            if why := self._refusal(path):
                raise DeskError(why)
            pending[path] = _after(path, before, block)
        changed = [path for path, text in pending.items() if path not in files or text != _text(desk, path)]
        if not changed:
            raise DeskError("the blocks hold what the files already say; nothing changed")
        _write(desk, {path: pending[path] for path in changed})
        return f"changed {', '.join(changed)}"

    def _home(self, block: Block, desk: Desk, files: list[str]) -> str:
        """The one file that may change and has all the functions of a block that names no file."""
        pieces = parts(block.text)
        if not pieces:
            raise DeskError("a block names no file; write its path behind the fence: ```python path/to/file.py")
        homes = [path for path in files if path.endswith(".py") and self._refusal(path) is None]
        homes = [path for path in homes if _has(_text(desk, path), set(pieces))]
        if len(homes) != 1:
            where = f"{', '.join(pieces)} stands in {len(homes)} files that may change"
            raise DeskError(f"{where}; write the path behind the fence: ```python path/to/file.py")
        return homes[0]


def _write(desk: Desk, texts: dict[str, str]) -> None:
    """All of them, or none: where one can't be written the tree is made what it was."""
    before = desk.snapshot().digest
    try:
        for path, text in texts.items():
            desk.write(path, text.encode("utf-8", "surrogateescape"))
    except DeskError:
        desk.restore(before)
        raise


def _text(desk: Desk, path: str) -> str:
    return desk.read(path).decode("utf-8", "surrogateescape")


def _has(source: str, names: set[str]) -> bool:
    try:
        known = definitions(source)
    except SyntaxError:
        return False
    return names <= {dotted.rpartition(".")[2] for dotted in known}


def _after(path: str, before: str | None, block: Block) -> str:
    """The file as it is to be: with the functions of the block put in, or the block itself."""
    if not path.endswith(".py"):
        return block.text
    try:
        named = set(definitions(block.text)) if (pieces := parts(block.text)) is None else set()
        if before is None or not _readable(before):
            return block.text
        if pieces and _has(before, set(pieces)):
            return splice(before, pieces)
        named = named or set(definitions(block.text))
    except (Unfit, SyntaxError) as error:
        raise DeskError(f"{path}: {error}") from error
    if lost := sorted(name for name in definitions(before) if "." not in name and name not in named):
        raise DeskError(
            f"the block for {path} leaves out {', '.join(lost)}; send the whole file, or only the changed functions"
        )
    return block.text


def _readable(source: str) -> bool:
    try:
        parsed(source)
    except SyntaxError:
        return False
    return True
