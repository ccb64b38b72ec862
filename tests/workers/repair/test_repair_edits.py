# ruff: noqa: E501 -- small programs read better on one line
"""Edits: spliced to the byte, sound as programs, and the right one early."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentloop.workers.repair.localise import Line
from agentloop.workers.repair.rank import candidates
from agentloop.workers.repair.shape import Shapes
from agentloop.workers.repair.source import BOM, Edit, Source
from agentloop.workers.repair.templates import TEMPLATES, edits_at

PIECES = (
    "def a{n}(x, y=[], *, z=2):\n    if x < y <= z and not x:  # grün\n        return (x + y) * z - 1\n    raise KeyError('é')\n",
    "def b{n}(self, items):\n    for i, item in enumerate(items[1:]):\n        if item is None:\n            continue\n        self.size += f(item, i,  # 'ß'\n                       key=i)\n    return self.size\n",
    "class C{n}:\n    limit: int = 3\n\n    def get(self, table, key):\n        \"\"\"Ä doc.\"\"\"\n        try:\n            return table[key] or f'{{key}} ö {{self.limit + 1}}'\n        except KeyError:\n            value = max(key, 0)\n            print(value)\n",
    "N{n} = [k * 2 for k in range(10) if k % 3 == 0]\n",
    "async def d{n}(one, two):\n    out = one if one else two\n    while out:\n        out -= 1\n    return g(two, one, *out)\n",
)  # fmt: skip
"""Functions and statements of which files are put together."""


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """A file with line ends, indentation and a byte order mark of any sort."""
    chosen = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=2))
    text = "\n\n".join(piece.format(n=number) for number, piece in enumerate(chosen))
    text = text.replace("    ", draw(st.sampled_from(["    ", "\t", "  "])))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from([b"", BOM])) + text.encode()


@settings(max_examples=6, deadline=None)
@given(sources())
def test_candidates_are_spliced_to_the_byte_and_compile(data: bytes) -> None:
    """All but the edit's bytes stay; the edit keeps the file's line ends; the whole file compiles and differs."""
    source = Source("m.py", data)
    lines = [Line("m.py", number, 1.0) for number in range(1, data.count(b"\n") + 2)]
    made = list(candidates({"m.py": source}, lines, 1))
    assert made
    before = ast.dump(source.tree)
    for candidate in made:
        (edit,) = candidate.edits
        assert candidate.text == data[: edit.start] + edit.text + data[edit.end :] == source.edited(edit)
        if b"\r\n" in data:
            assert candidate.text.count(b"\n") == candidate.text.count(b"\r\n")
        with warnings.catch_warnings(action="ignore"):
            compile(candidate.text, "m.py", "exec", dont_inherit=True)
        assert ast.dump(ast.parse(candidate.text)) != before


def test_every_family_makes_edits_that_compile() -> None:
    """No family is silent on a file that has something of everything."""
    source = Source("m.py", "\n\n".join(piece.format(n=n) for n, piece in enumerate(PIECES)).encode())
    shapes = Shapes(source)
    alive = {edit.template for edit in edits_at(source, set(range(1, 60))) if shapes.of(edit)}
    families = set(TEMPLATES) - {"statement", "slip"}
    assert (
        families | {"delete statement", "swap statements", "mutable default", "exception type", "missing return"}
        <= alive
    )


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("def f(a, b, c):\n    return (a + b) * c\n", "(a + b) / c"),
        ("def f(a, b, c):\n    return a * b * c\n", "(a + b) * c"),
        ("def f(a, b, c):\n    return a < b < c\n", "a <= b < c"),
        ("def f(a, b, c):\n    return a and b and c\n", "a and b or c"),
        ("def f(a, b, c):\n    return a and b and c\n", "a and c"),
        ("def f(a, b):\n    return g(a,  # one\n             k=b)\n", "g(b,  # one\n             k=a)"),
        ("def f(a, b):\n    return g(a, *b, h(b))\n", "g(h(b), *b, a)"),
        ("def f(a):\n    return a.b - (a.c - 1)\n", "(a.c - 1) - a.b"),
        ("def f(a):\n    if a not in [1]:\n        return f'é{a - 1}'\n", "a in [1]"),
        ("def f(a):\n    a = 1\n    return a\n", "raise ValueError"),
        ("def f(items, start):\n    return list(items)\n", "list(items[1:])"),
        ("def f(items, start):\n    return items[start:]\n", "return items\n"),
        ("def f(total, part):\n    return g(total)\n", "g(total - part)"),
        ("def f(x, y):\n    return x - y\n", "x - y ** 2"),
        ("def f(x, y):\n    return [y]\n", "return x + [y]"),
        ("def f(best, x):\n    best = x + 1\n    return best\n", "best = max(best, x + 1)"),
        ("def f(t, i, j):\n    t[i] = t[i, j] + t[j]\n", "t[j] = t[i, j]"),
        ("def f(t, i, j):\n    return t[i, j]\n", "t[j, i]"),
        ("def f(t, i, j):\n    return t[i, j]\n", "t[i, j - 1]"),
        ("def f(t, i):\n    return get(t, i) + t[i]\n", "return i + t[i]"),
        ("def f(a):\n    return []\n", "return [[]]"),
        ("def f(a):\n    depth = a\n    return True\n", "return depth == 0"),
        ("def f(a):\n    if len(a) == 0:\n        return a\n", "if len(a) <= 1:"),
        ("def f(a, b):\n    return a.left\n\n\ndef g(c):\n    return c.right\n", "return a.right"),
        ("def f(out, a, b):\n    out.append(a)\n    return out\n", "out.append(a)\n    out.append(b)\n    return out"),
        (
            "def f(a):\n    b = None\n    while a:\n        a = a.next\n    return b\n",
            "        a = a.next\n        b = a\n",
        ),
        ('import re\n\n\ndef f(a):\n    return re.match("a+b", a)\n', 'match(r"a+b$", a)'),
        ('import re\n\n\ndef f(a):\n    return re.sub(r"<.*>", "", a)\n', 'r"<.*?>"'),
        ('import re\n\n\ndef f(a):\n    return re.match(r"a.b", a)\n', 'r"a\\.b"'),
        ("import re\n\n\ndef f(a):\n    return re.search(b, a)\n", "flags=re.IGNORECASE)"),
        ("def f(a, b):\n    return a == b\n", "a.lower() == b.lower()"),
        ("def f(a):\n    return open(a)\n", 'open(a, encoding="utf-8")'),
        ("def f(a):\n    return '%d!' % a\n", "'%s!'"),
        ("def f(a):\n    return sorted(a)\n", "sorted(a, reverse=True)"),
        ("def f(a, limit):\n    return a + 1\n", "return min(a + 1, limit)"),
        ("def f(a, b):\n    return a or b\n", "a if a is not None else b"),
        ("def f(a):\n    return [x for x in a]\n", "[x for x in a if x is not None]"),
        ("def f(a):\n    if a:\n        return 1\n", "if a is not None:"),
        (
            "class A(B):\n    def __init__(self, x):\n        self.x = x\n",
            "        super().__init__(x)\n        self.x",
        ),
        (
            "class A:\n    def go(self):\n        self.x = 1\n\n    def stop(self):\n        pass\n",
            "self.x = 1\n        self.stop()",
        ),
        (
            "def f(a):\n    out, g = [], []\n    for x in a:\n        if x:\n            out.append(g)\n        g.append(x)\n    return out\n",
            "    if g:\n        out.append(g)\n    return out",
        ),
        ("def f(a):\n    for x in a:\n        g(x)\n", "g(x)\n        break"),
        ("class E(Exception):\n    pass\n\n\ndef f(a):\n    raise KeyError(a)\n", "raise E(a)"),
        ("def f(a):\n    try:\n        g(a)\n    except KeyError:\n        pass\n", "except (KeyError, IndexError):"),
        ("def f(low, high):\n    return high - low\n", "if low > high:\n        raise ValueError\n"),
        ("def g(k, limit):\n    return k\n\n\ndef f(k, limit):\n    return g(k)\n", "g(k, limit=limit)"),
    ],
)
def test_an_edit_is_made_as_a_person_would_write_it(source: str, wanted: str) -> None:
    """Brackets, comments and the shape of what is around the change stay."""
    made = Source("m.py", source.encode())
    assert any(wanted in made.edited(edit).decode() for edit in edits_at(made, set(range(1, 9))))


@pytest.mark.parametrize("data", [b"a = 1\rb = 2\n", b"# coding: latin-1\nx = 'a'\n", b"x = '\xe4'\n", b"def f(:\n"])
def test_files_whose_places_cannot_be_told_are_refused(data: bytes) -> None:
    """Rather than splice at a wrong place."""
    with pytest.raises((ValueError, SyntaxError)):
        Source("m.py", data)


def order(source: str, line: int, words: frozenset[str] = frozenset()) -> list[str]:
    made = Source("m.py", source.encode())
    return [c.text.decode() for c in candidates({"m.py": made}, [Line("m.py", line, 1.0)], 1, words)]


def test_names_and_words_put_the_likelier_edit_first() -> None:
    """Swaps that fit the parameters' names, unused names put to use, and words of the failing test count more."""
    swap = order("def g(low, x, high):\n    return x\n\n\ndef f(low, x, high):\n    return g(low, high, x)\n", 6)
    assert swap.index(next(t for t in swap if "g(low, x, high)" in t.split("def f")[1])) == 0
    used = order("def f(net, tax):\n    total = net\n    return net\n", 3)
    assert "return total" in used[0] or "return tax" in used[0]
    source = "def f(a, b, c):\n    return g(a)\n"
    plain, told = order(source, 2), order(source, 2, frozenset({"c"}))
    place = next(text for text in plain if text.endswith("g(c)\n"))
    assert told.index(place) < plain.index(place)


def test_programs_are_compared_by_what_they_do() -> None:
    """Layout and folded constants make no difference; scope errors that parsing does not see make no candidate."""
    source = Source("m.py", b"def f(x):\n    return x + 2\n\n\ny = 1\n")
    shapes = Shapes(source)

    def edit(old: bytes, new: bytes) -> Edit:
        start = source.data.index(old)
        return Edit("m.py", start, start + len(old), new, "t", 2)

    assert shapes.of(edit(b"x + 2", b"x+1+1")) != shapes.of(edit(b"x + 2", b"x + 3"))
    assert shapes.of(edit(b"x + 2", b"(x  +  (1 + 1))")) in shapes.known()
    assert shapes.of(edit(b"x + 2", b"x + 2.0")) not in shapes.known()
    assert shapes.of(edit(b"x + 2", b"await x")) is None
    assert shapes.of(edit(b"y = 1", b"return 1")) is None
    assert shapes.of(edit(b"x + 2", b"x + (")) is None


def test_types_that_the_tests_saw_weigh_substitutes() -> None:
    """A number is no sequence: it is not cut, and no list is put in its place before another number is."""
    data = b"def f(total, items, part):\n    return g(total)\n"
    seen = {1: {"total": ["int"], "items": ["list", "NoneType"], "part": ["float"]}}
    lines = [Line("m.py", 2, 1.0)]
    made = [c.text.decode() for c in candidates({"m.py": Source("m.py", data, seen)}, lines, 1)]
    blind = [c.text.decode() for c in candidates({"m.py": Source("m.py", data)}, lines, 1)]
    assert any("g(total[1:])" in text for text in blind)
    assert not any("g(total[1:])" in text for text in made)
    place = {name: next(n for n, text in enumerate(made) if f"g({name})" in text) for name in ("items", "part")}
    assert place["part"] < place["items"]


def test_two_edits_are_made_together() -> None:
    """A pair changes two places, in order, and both parts are compared."""
    source = Source("m.py", b"def f(a, b):\n    return a < b\n\n\ndef g(a, b):\n    return a - b\n")
    lines = [Line("m.py", 2, 1.0), Line("m.py", 6, 1.0)]
    texts = [candidate.text for candidate in candidates({"m.py": source}, lines, 2)]
    assert any(b"a <= b" in text and b"a + b" in text for text in texts)
    assert len(texts) == len(set(texts))
