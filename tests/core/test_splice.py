"""Functions put into a file by name change these functions and not one other byte."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.splice import Unfit, parts, splice

SOURCE = '''\
"""Doc."""
import os  # kept


@cached
def first(a):  # odd   spacing
    return a


class Box:
    """Holds."""

    size = 1

    @property
    def width(self):
        return self.size

    def grow(self, by):
        self.size += by
        return self


class Bag:
    def empty(self):
        return True


def last():
    pass
'''


def put(text: str, source: str = SOURCE) -> str:
    pieces = parts(text)
    assert pieces is not None
    return splice(source, pieces)


def test_a_function_takes_the_place_of_its_name() -> None:
    """Its decorators stay where the new one has none; every other line is as it was."""
    new = put("def first(a, b):\n    return a + b\n")
    assert new == SOURCE.replace(
        "def first(a):  # odd   spacing\n    return a\n", "def first(a, b):\n    return a + b\n"
    )
    own = put("@other\ndef first():\n    return 2\n")
    assert "@cached" not in own
    assert "@other\ndef first" in own


def test_a_bare_method_finds_its_class_and_its_indentation() -> None:
    """However deep the model indented it."""
    for indent in ("", "    ", "        "):
        text = "".join(f"{indent}{line}\n" for line in ("def grow(self, by):", "    return by"))
        assert "    def grow(self, by):\n        return by\n\n\nclass Bag" in put(text)


def test_a_class_with_some_of_its_methods_changes_only_these() -> None:
    """The others are not lost."""
    new = put("class Box:\n    def grow(self, by):\n        return by\n")
    assert "size = 1" in new
    assert "@property\n    def width" in new
    assert "        return by\n" in new


def test_a_class_with_all_of_its_methods_is_taken_whole() -> None:
    new = put("class Bag:\n    def empty(self):\n        return False\n\n    def full(self):\n        return True\n")
    assert new.count("class Bag") == 1
    assert "def full" in new


@pytest.mark.parametrize("text", ["def nobody(): pass\n", "class Box:\n    def shrink(self): pass\n"])
def test_what_has_no_place_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        put(text)


def test_a_name_in_two_classes_is_refused() -> None:
    source = "class A:\n    def f(self): pass\n\nclass B:\n    def f(self): pass\n"
    with pytest.raises(Unfit, match="2 times"):
        put("def f(self): return 1\n", source)


@pytest.mark.parametrize("text", ["x = 1\n", "import os\ndef f(): pass\n", "def f(:\n", "", "# only a comment\n"])
def test_what_is_no_set_of_definitions(text: str) -> None:
    assert parts(text) is None


@given(st.permutations(["first", "last"]), st.booleans())
def test_what_comes_out_is_python_with_the_same_names(names: list[str], ends: bool) -> None:
    """In any order, and for a file without a line end at its end."""
    source = SOURCE if ends else SOURCE.rstrip("\n")
    new = put("\n\n".join(f"def {name}(x):\n    return x" for name in names), source)
    before, after = (
        [getattr(node, "name", type(node).__name__) for node in ast.parse(text).body] for text in (source, new)
    )
    assert before == after
    assert new.endswith("\n") == ends


LOSSES = {
    "a class without methods": ("class A:\n    x = 1\n    def m(self): pass\n", "class A:\n    x = 2\n"),
    "an attribute beside a method": (
        "class A:\n    x = 1\n    def m(self): pass\n    def n(self): pass\n",
        "class A:\n    x = 2\n    def m(self): return 1\n",
    ),
    "another base": (
        "class A:\n    def m(self): pass\n    def n(self): pass\n",
        "class A(B):\n    def m(self): return 1\n",
    ),
    "a setter": (
        "class A:\n    @property\n    def x(self): pass\n    @x.setter\n    def x(self, v): pass\n",
        "@property\ndef x(self): return 2\n",
    ),
    "text over several lines": (
        "class A:\n    def m(self): pass\n",
        'def m(self):\n    return """a\nb"""\n',
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_would_lose_or_bend_something_is_refused(name: str) -> None:
    """The model is told, and may send the whole file."""
    source, text = LOSSES[name]
    with pytest.raises(Unfit):
        put(text, source)


@pytest.mark.parametrize("odd", ["\f", "# \u2028 \x85 \x1c\n", "x = '\u2028'\n"])
def test_lines_are_counted_as_python_counts_them(odd: str) -> None:
    """A form feed or a separator of paragraphs begins no new line."""
    source = f"import os\n{odd}\ndef f():\n    return 1\n\n{odd}\ndef g():\n    return 2\n"
    assert put("def g():\n    return 3\n", source) == source.replace("return 2", "return 3")


def test_line_ends_stay_what_they_were() -> None:
    """A file of Windows keeps its own."""
    source = "def f():\r\n    return 1\r\n\r\ndef g():\r\n    return 2\r\n"
    assert put("def f():\n    return 3\n", source) == source.replace("return 1", "return 3")


@pytest.mark.parametrize("text", ["x = " + "-" * 50_000 + "1\n", "a" + ".b" * 3_000 + "\n", "x = 1\0\n"])
def test_what_python_gives_up_on_is_no_python(text: str) -> None:
    """Not a crash."""
    assert parts(text) is None
    with pytest.raises(SyntaxError):
        splice(text, {"f": "def f(): pass\n"})
