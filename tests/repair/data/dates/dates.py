"""Ranges of days, both ends included."""

import calendar
from datetime import date, timedelta

DAY = timedelta(days=1)
WEEKEND = (5, 6)


class DateRange:
    """All days from `first` to `last`."""

    def __init__(self, first, last):
        if last < first:
            raise ValueError("the range ends before it begins")
        self.first = first
        self.last = last

    @classmethod
    def parse(cls, text):
        """From `2024-01-05..2024-01-09`, or one day."""
        first, dots, last = text.partition("..")
        begin = date.fromisoformat(first.strip())
        if not dots:
            return cls(begin, begin)
        return cls(begin, date.fromisoformat(last.strip()))

    def __str__(self):
        if self.first == self.last:
            return self.first.isoformat()
        return f"{self.first.isoformat()}..{self.last.isoformat()}"

    def __len__(self):
        return (self.last - self.first).days + 1

    def __iter__(self):
        day = self.first
        while day <= self.last:
            yield day
            day += DAY

    def __contains__(self, day):
        return self.first <= day <= self.last

    def overlap(self, other):
        """How many days are in both."""
        first = max(self.first, other.first)
        last = min(self.last, other.last)
        return max(0, (last - first).days + 1)

    def workdays(self, holidays=()):
        """Days that are neither weekend nor holiday."""
        return [day for day in self if day.weekday() not in WEEKEND and day not in holidays]

    def weeks(self):
        """The range cut at Mondays."""
        parts = []
        first = self.first
        while first <= self.last:
            sunday = first + timedelta(days=6 - first.weekday())
            parts.append(DateRange(first, min(sunday, self.last)))
            first = sunday + DAY
        return parts


def add_months(day, months):
    """The same day so many months on; the month's last day where there is no such day."""
    number = day.year * 12 + day.month - 1 + months
    year, month = divmod(number, 12)
    length = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, length))


def month_of(day):
    """The month around a day."""
    length = calendar.monthrange(day.year, day.month)[1]
    return DateRange(day.replace(day=1), day.replace(day=length))


def age(born, today):
    """Full years."""
    years = today.year - born.year
    if (today.month, today.day) < (born.month, born.day):
        years -= 1
    return years


def is_leap(year):
    """Whether a year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def quarter(day):
    """Quarter of the year, 1 to 4."""
    return (day.month - 1) // 3 + 1


def next_workday(day, holidays=()):
    """The first workday after a day."""
    day += DAY
    while day.weekday() in WEEKEND or day in holidays:
        day += DAY
    return day
