import pytest
from wrapping import columns, dedent, is_heading, justify, number_lines, shorten, slug, words, wrap


def test_words():
    assert words("  a b\n\tc ") == ["a", "b", "c"]
    assert words("   ") == []


def test_wrap_fills_lines():
    assert wrap("the quick brown fox", 9) == ["the quick", "brown fox"]
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("the quick brown fox", 8) == ["the", "quick", "brown", "fox"]
    assert wrap("", 5) == []


def test_wrap_cuts_long_words():
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap("a abcdef b", 3) == ["a", "abc", "def", "b"]


def test_wrap_indents():
    assert wrap("one two three", 7, "  ") == ["  one", "  two", "  three"]
    assert wrap("one two", 9, "  ") == ["  one two"]
    with pytest.raises(ValueError, match="no room"):
        wrap("x", 2, "  ")


def test_shorten():
    assert shorten("hello big world", 20) == "hello big world"
    assert shorten("hello big world", 15) == "hello big world"
    assert shorten("hello big world", 12) == "hello big..."
    assert shorten("hello big world", 9) == "hello..."
    assert shorten("hello   big", 9) == "hello big"


def test_justify():
    assert justify("a b c", 9) == "a   b   c"
    assert justify("a b c", 8) == "a   b  c"
    assert justify("  lone ", 9) == "lone"
    assert justify("aa bb", 5) == "aa bb"


def test_dedent():
    assert dedent("  a\n    b\n  c") == "a\n  b\nc"
    assert dedent("    a\n\n      b") == "a\n\n  b"
    assert dedent("  a\n \n  b") == "a\n\nb"
    assert dedent("") == ""


def test_columns():
    assert columns([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc  d"]
    assert columns([["a"], ["ccc", "d"]], gap=1) == ["a", "ccc d"]
    assert columns([]) == []


def test_slug():
    assert slug("Hello, World!") == "hello-world"
    assert slug("--A  b--") == "a-b"


def test_heading():
    assert is_heading("# One")
    assert is_heading("###### Six")
    assert not is_heading("####### Seven")
    assert not is_heading("#One")
    assert not is_heading("see # One")


def test_number_lines():
    assert number_lines(["a", "b"]) == ["1 a", "2 b"]
    assert number_lines(["a", "b"], 9) == [" 9 a", "10 b"]
