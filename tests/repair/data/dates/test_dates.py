from datetime import date

import pytest
from dates import DateRange, add_months, age, is_leap, month_of, next_workday, quarter


def days(first, last):
    return DateRange(date(2024, 1, first), date(2024, 1, last))


def test_parse():
    assert len(DateRange.parse("2024-01-05..2024-01-09")) == 5
    assert len(DateRange.parse("2024-01-05")) == 1
    assert DateRange.parse("2024-01-05 .. 2024-01-09").last == date(2024, 1, 9)
    with pytest.raises(ValueError, match="before it begins"):
        DateRange.parse("2024-01-09..2024-01-05")


def test_text():
    assert str(days(5, 9)) == "2024-01-05..2024-01-09"
    assert str(days(5, 5)) == "2024-01-05"


def test_iteration():
    assert [day.day for day in days(5, 8)] == [5, 6, 7, 8]
    assert list(days(5, 5)) == [date(2024, 1, 5)]


def test_contains():
    assert date(2024, 1, 5) in days(5, 8)
    assert date(2024, 1, 8) in days(5, 8)
    assert date(2024, 1, 9) not in days(5, 8)


def test_overlap():
    assert days(1, 5).overlap(days(4, 9)) == 2
    assert days(1, 5).overlap(days(5, 9)) == 1
    assert days(1, 5).overlap(days(8, 9)) == 0
    assert days(1, 9).overlap(days(3, 4)) == 2


def test_workdays():
    assert [day.day for day in days(1, 8).workdays()] == [1, 2, 3, 4, 5, 8]
    assert [day.day for day in days(1, 8).workdays({date(2024, 1, 1)})] == [2, 3, 4, 5, 8]


def test_weeks():
    assert [str(week) for week in days(3, 16).weeks()] == [
        "2024-01-03..2024-01-07",
        "2024-01-08..2024-01-14",
        "2024-01-15..2024-01-16",
    ]
    assert [str(week) for week in days(8, 14).weeks()] == ["2024-01-08..2024-01-14"]


def test_add_months():
    assert add_months(date(2024, 1, 15), 1) == date(2024, 2, 15)
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2024, 11, 30), 3) == date(2025, 2, 28)
    assert add_months(date(2024, 12, 5), 12) == date(2025, 12, 5)
    assert add_months(date(2024, 1, 5), -1) == date(2023, 12, 5)


def test_month():
    assert str(month_of(date(2024, 2, 10))) == "2024-02-01..2024-02-29"
    assert len(month_of(date(2023, 12, 31))) == 31


def test_age():
    assert age(date(2000, 5, 10), date(2020, 5, 10)) == 20
    assert age(date(2000, 5, 10), date(2020, 5, 9)) == 19
    assert age(date(2000, 5, 10), date(2020, 4, 30)) == 19
    assert age(date(2000, 5, 10), date(2020, 6, 1)) == 20


def test_leap():
    assert [year for year in (1900, 1999, 2000, 2004, 2100) if is_leap(year)] == [2000, 2004]


def test_quarter():
    assert [quarter(date(2024, month, 1)) for month in (1, 3, 4, 6, 7, 9, 10, 12)] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_next_workday():
    assert next_workday(date(2024, 1, 3)) == date(2024, 1, 4)
    assert next_workday(date(2024, 1, 5)) == date(2024, 1, 8)
    assert next_workday(date(2024, 1, 5), [date(2024, 1, 8)]) == date(2024, 1, 9)
