"""Fenced blocks in a model's answer, each with the file that it is meant for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_PATH = re.compile(r"^[\w.@+-]+(?:/[\w.@+-]+)*\.\w+$")
_TITLE = re.compile(r"^\s*(?:#|//|--|;|/\*|<!--)\s*(?:file(?:name)?\s*:?\s*)?(\S+?)\s*(?:\*/|-->)?\s*$", re.IGNORECASE)
LONGEST = 300
"""Characters of a line in which a file's name is looked for."""

_OUTPUT = ("text", "console", "bash", "sh", "shell", "diff", "output", "traceback", "pycon")
"""Languages of blocks that show something and are not meant for the file that the line before them names."""

_WORDS = re.compile(r"[\w.@+/-]+")


@dataclass(frozen=True)
class Block:
    """A fenced block: `path` is the file it names (empty where it names none), `language` the word behind the fence,
    `text` what stands in it, with a line end at its end."""

    path: str
    language: str
    text: str


class Unclosed(ValueError):
    """The last block has no end: nobody knows what was cut off."""


def blocks(answer: str) -> list[Block]:
    """The fenced blocks of `answer`, in order. Raises Unclosed.

    The file stands behind the fence (````` ```python src/a.py`````), in a comment that is the first line, or at the
    end of the last line before the fence.
    """
    found: list[Block] = []
    held: list[str] = []
    before = fence = info = ""
    for whole in answer.split("\n"):
        line = whole.removesuffix("\r")
        mark = _FENCE.match(line)
        if not fence and mark:
            fence, info, held = mark[1], mark[2].strip()[:LONGEST], []
        elif fence and mark and not mark[2].strip() and mark[1].startswith(fence):
            found.append(_block(info, held, before))
            fence = before = ""
        elif fence:
            held.append(line)
        elif line.strip():
            before = line.strip()[-LONGEST:]
    if fence:
        raise Unclosed("the last fenced block is not closed; send all of it again, whole")
    return found


def _block(info: str, lines: list[str], before: str) -> Block:
    words = [word for word in re.split(r"[\s:={}\"'`]+", info) if word]
    language = words[0] if words and not _is_path(words[0]) else ""
    path = next(filter(_is_path, words), "")
    title = _TITLE.match(lines[0].strip()) if lines and len(lines[0]) <= LONGEST else None
    if not path and title and _is_path(title[1]):
        path, lines = title[1], lines[1:]
    if not path and language not in _OUTPUT and (named := [word.strip(".,") for word in _WORDS.findall(before)]):
        path = named[-1] if _is_path(named[-1]) else ""
    return Block(path.removeprefix("./"), language, "".join(f"{line}\n" for line in lines))


def _is_path(word: str) -> bool:
    return _PATH.match(word.removeprefix("./")) is not None and not word.replace(".", "").isdigit()
