"""Fenced blocks and the files they are for, however a model writes them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.blocks import Block, Unclosed, blocks

BODY = "def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("before", "info", "inside"),
    [
        ("", "python src/a.py", ""),
        ("", "src/a.py", ""),
        ("", "./src/a.py", ""),
        ("", 'python title="src/a.py"', ""),
        ("", "python:src/a.py", ""),
        ("", "python {file=src/a.py}", ""),
        ("", "python", "# src/a.py\n"),
        ("", "python", "# file: src/a.py\n"),
        ("", "", "// src/a.py\n"),
        ("**src/a.py**\n\n", "python", ""),
        ("### `src/a.py`\n", "python", ""),
        ("Here is the new src/a.py:\n", "python", ""),
    ],
)
def test_the_file_is_found_where_models_write_it(before: str, info: str, inside: str) -> None:
    """Behind the fence, in a first comment, or on the line before."""
    (block,) = blocks(f"{before}```{info}\n{inside}{BODY}```\nDone.")
    assert (block.path, block.text) == ("src/a.py", BODY)


@pytest.mark.parametrize("before", ["", "Version 1.2 of it:\n", "See f() below.\n", "It costs 3.50\n"])
def test_a_block_may_name_no_file(before: str) -> None:
    """Then none is made up."""
    assert blocks(f"{before}```python\n{BODY}```") == [Block("", "python", BODY)]


def test_an_unclosed_block_spoils_the_answer() -> None:
    """Nobody knows what was cut off, and half of an answer is not applied."""
    with pytest.raises(Unclosed):
        blocks(f"```a.py\n{BODY}```\n```b.py\n{BODY}")


@pytest.mark.parametrize("language", ["text", "console", "diff"])
def test_output_is_not_meant_for_the_file_named_before_it(language: str) -> None:
    """A traceback under the words "the error in a.py" is no new a.py."""
    (block,) = blocks(f"The error in src/a.py:\n```{language}\nTraceback\n```")
    assert block.path == ""


@pytest.mark.parametrize("text", ["``` a" + " " * 50_000 + "a", "```\n#file" + " " * 50_000 + "x x\n```", " " * 50_000])
def test_a_flood_of_spaces_takes_no_time(text: str) -> None:
    """Small models repeat themselves; the time of this test is its limit."""
    with contextlib.suppress(Unclosed):
        blocks(text)


def test_a_longer_fence_holds_shorter_ones() -> None:
    """A Markdown file in a block keeps its own blocks."""
    (block,) = blocks("````README.md\n```sh\nls\n```\n````")
    assert (block.path, block.text) == ("README.md", "```sh\nls\n```\n")


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\r\n"), max_size=20),
        max_size=6,
    )
)
def test_the_text_of_a_block_is_kept_line_by_line(lines: list[str]) -> None:
    """Whatever stands in it but a fence."""
    kept = [line for line in lines if not line.lstrip(" ").startswith(("```", "~~~"))]
    (block,) = blocks("\n".join(["~~~~ x/a.txt", *kept, "~~~~"]))
    assert block.text == "".join(f"{line}\n" for line in kept)
