import pytest
from csvread import TableError, column, convert, dump, quoted, records, rows, sniff, split_line, summed


def test_split():
    assert split_line("a,b,c") == ["a", "b", "c"]
    assert split_line("a,,c,") == ["a", "", "c", ""]
    assert split_line("") == [""]


def test_quotes():
    assert split_line('"a,b",c') == ["a,b", "c"]
    assert split_line('"say ""hi""",x') == ['say "hi"', "x"]
    assert split_line('5" pipe,x') == ['5" pipe', "x"]


def test_open_quote():
    with pytest.raises(TableError, match="line 4: a quote") as caught:
        split_line('"abc', line=4)
    assert caught.value.line == 4


def test_delimiter():
    assert split_line("a;b,c", ";") == ["a", "b,c"]


def test_sniff():
    assert sniff("a;b;c,d\n1,2,3,4,5") == ";"
    assert sniff("a\tb") == "\t"
    assert sniff("lonely") == ","


def test_convert():
    assert convert(" 12 ") == 12
    assert convert("1.5") == 1.5
    assert convert("") is None
    assert convert("0") == 0
    assert convert(" x ") == "x"


def test_rows():
    text = "a,b\n\n# note\n1,2\n  # indented\n3,4\n"
    assert list(rows(text)) == [(1, ["a", "b"]), (4, ["1", "2"]), (6, ["3", "4"])]


def test_records():
    assert records("Name , Age\nann,31\nbob,\n") == [{"name": "ann", "age": 31}, {"name": "bob", "age": None}]
    assert records("") == []
    assert records("a,b\n") == []


def test_short_and_long_records():
    assert records("a,b,c\n1,2\n") == [{"a": 1, "b": 2, "c": None}]
    with pytest.raises(TableError, match="line 3: 3 fields for 2 columns"):
        records("a,b\n1,2\n1,2,3\n")


def test_required():
    assert records("a,b\n1,2\n", required=("b",)) == [{"a": 1, "b": 2}]
    with pytest.raises(TableError, match="line 2: no column c, d"):
        records("# first\na,b\n1,2\n", required=("a", "c", "d"))


def test_column():
    table = [{"a": 1}, {"a": None}, {"b": 3}, {"a": 0}]
    assert column(table, "a") == [1, None, None, 0]
    assert column(table, "a", 9) == [1, 9, 9, 0]


def test_summed():
    table = [{"k": "x", "n": 1}, {"k": "y", "n": 2}, {"k": "x", "n": 3}, {"k": "x", "n": None}, {"k": "z"}]
    assert summed(table, "k", "n") == {"x": 4, "y": 2, "z": 0}


def test_dump():
    assert dump([{"a": 1, "b": None}, {"a": 'x,"y"', "b": 2}]) == 'a,b\n1,\n"x,""y""",2\n'
    assert dump([]) == ""
    assert dump([{"a": 1, "b": 2}, {"a": 3}]) == "a,b\n1,2\n3,\n"


def test_quoted():
    assert quoted("plain text") == "plain text"
    assert quoted("two\nlines") == '"two\nlines"'
    assert quoted(0) == "0"
