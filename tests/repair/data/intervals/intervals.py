"""Half-open intervals of numbers, and sets of them."""


class Interval:
    """All x with start <= x < end."""

    def __init__(self, start, end):
        if start > end:
            raise ValueError(f"{start} is after {end}")
        self.start = start
        self.end = end

    def __eq__(self, other):
        return isinstance(other, Interval) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self):
        return hash((self.start, self.end))

    def __repr__(self):
        return f"[{self.start}, {self.end})"

    def __len__(self):
        return self.end - self.start

    def __contains__(self, x):
        return self.start <= x < self.end

    @property
    def empty(self):
        return self.start == self.end

    def overlaps(self, other):
        return self.start < other.end and other.start < self.end

    def touches(self, other):
        return self.start <= other.end and other.start <= self.end

    def intersection(self, other):
        start, end = max(self.start, other.start), min(self.end, other.end)
        if start >= end:
            return None
        return Interval(start, end)

    def shifted(self, by):
        return Interval(self.start + by, self.end + by)

    def split(self, at):
        """The parts before and from `at`; ValueError outside."""
        if at not in self:
            raise ValueError(f"{at} is not in {self}")
        return Interval(self.start, at), Interval(at, self.end)


def merged(intervals):
    """As few intervals as cover the same numbers, in order."""
    found = []
    for interval in sorted(intervals, key=lambda i: (i.start, i.end)):
        if interval.empty:
            continue
        if found and found[-1].touches(interval):
            last = found.pop()
            interval = Interval(last.start, max(last.end, interval.end))
        found.append(interval)
    return found


def total(intervals):
    """How much is covered, each number once."""
    return sum(len(interval) for interval in merged(intervals))


def gaps(intervals, within):
    """What of `within` no interval covers."""
    found = []
    at = within.start
    for interval in merged(intervals):
        if interval.end <= within.start:
            continue
        if interval.start >= within.end:
            break
        if interval.start > at:
            found.append(Interval(at, interval.start))
        at = max(at, interval.end)
    if at < within.end:
        found.append(Interval(at, within.end))
    return found


def subtract(interval, holes):
    """The parts of `interval` outside `holes`."""
    return gaps(holes, interval)


def busiest(intervals):
    """The number where most intervals overlap, and how many; None for none."""
    events = []
    for interval in intervals:
        events.append((interval.start, 1))
        events.append((interval.end, -1))
    best, count, depth = None, 0, 0
    for at, change in sorted(events):
        depth += change
        if depth > count:
            best, count = at, depth
    return (best, count) if best is not None else None
