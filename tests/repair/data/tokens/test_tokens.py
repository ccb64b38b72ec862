import pytest
from tokens import ParseError, compute, names_in, tokens


def test_tokens():
    assert tokens("a1 + 2.5") == [("name", "a1", 0), ("sign", "+", 3), ("number", "2.5", 5)]
    assert [text for _, text, _ in tokens("x**2<=3")] == ["x", "**", "2", "<=", "3"]
    assert tokens("  ") == []
    assert len(tokens("1 + 2  ")) == 3


def test_unreadable():
    with pytest.raises(ParseError, match="can't read '\\?' at 1") as caught:
        tokens("1 ? 2")
    assert caught.value.at == 1


def test_numbers():
    assert compute("12") == 12
    assert isinstance(compute("12"), int)
    assert compute("1.5") == 1.5


def test_precedence():
    assert compute("1 + 2 * 3") == 7
    assert compute("(1 + 2) * 3") == 9
    assert compute("2 * 3 + 1") == 7
    assert compute("8 / 2 * 4") == 16
    assert compute("10 - 3 - 2") == 5
    assert compute("10 - 3 + 2") == 9


def test_powers():
    assert compute("2 ** 3 ** 2") == 512
    assert compute("-2 ** 2") == -4
    assert compute("2 ** -1") == 0.5
    assert compute("2 * 3 ** 2") == 18


def test_signs():
    assert compute("--3") == 3
    assert compute("4 - -3") == 7


def test_comparison():
    assert compute("1 + 1 == 2") is True
    assert compute("2 < 2") is False
    assert compute("2 <= 2") is True
    assert compute("3 > 2") is True
    assert compute("2 >= 3") is False


def test_names():
    assert compute("x * y", x=3, y=4) == 12
    assert compute("zero + 1", zero=0) == 1
    with pytest.raises(ParseError, match="y is not known at 4"):
        compute("x + y", x=3)


def test_calls():
    assert compute("max(1, 2, 3)") == 3
    assert compute("min(4, 2 * 1) + abs(-3)") == 5
    assert compute("max(1, min(5, 3))") == 3
    with pytest.raises(ParseError, match="no function foo at 0"):
        compute("foo(1)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "more is expected at 0"),
        ("1 +", "more is expected at 3"),
        ("(1", "'\\)' is expected at 2"),
        ("1 2", "'2' is too much at 2"),
        ("1)", "'\\)' is too much at 1"),
        ("* 2", "'\\*' is not expected at 0"),
        ("max(1 2)", "',' is expected at 6"),
    ],
)
def test_errors(text, said):
    with pytest.raises(ParseError, match=said):
        compute(text)


def test_names_in():
    assert names_in("a + b * a - max(c, 1)") == ["a", "b", "c"]
    assert names_in("1 + 2") == []
