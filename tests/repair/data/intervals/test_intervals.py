import pytest
from intervals import Interval, busiest, gaps, merged, subtract, total


def test_bounds():
    assert 1 in Interval(1, 3)
    assert 2 in Interval(1, 3)
    assert 3 not in Interval(1, 3)
    assert len(Interval(1, 3)) == 2


def test_wrong_order():
    with pytest.raises(ValueError, match="is after"):
        Interval(3, 1)
    assert Interval(3, 3).empty


def test_equality_and_hash():
    assert Interval(1, 2) == Interval(1, 2)
    assert Interval(1, 2) != Interval(1, 3)
    assert Interval(1, 2) != (1, 2)
    assert len({Interval(1, 2), Interval(1, 2), Interval(0, 2)}) == 2


def test_overlap():
    assert Interval(1, 4).overlaps(Interval(3, 6))
    assert Interval(3, 6).overlaps(Interval(1, 4))
    assert not Interval(1, 3).overlaps(Interval(3, 5))
    assert not Interval(3, 5).overlaps(Interval(1, 3))


def test_touch():
    assert Interval(1, 3).touches(Interval(3, 5))
    assert Interval(3, 5).touches(Interval(1, 3))
    assert not Interval(1, 2).touches(Interval(3, 5))


def test_intersection():
    assert Interval(1, 4).intersection(Interval(3, 6)) == Interval(3, 4)
    assert Interval(1, 9).intersection(Interval(3, 6)) == Interval(3, 6)
    assert Interval(1, 3).intersection(Interval(3, 6)) is None
    assert Interval(1, 2).intersection(Interval(3, 6)) is None


def test_shift_and_split():
    assert Interval(1, 3).shifted(4) == Interval(5, 7)
    assert Interval(1, 5).split(3) == (Interval(1, 3), Interval(3, 5))
    with pytest.raises(ValueError, match="not in"):
        Interval(1, 5).split(5)


def test_merge_keeps_apart_what_is_apart():
    assert merged([Interval(5, 6), Interval(1, 2)]) == [Interval(1, 2), Interval(5, 6)]
    assert merged([]) == []


def test_merge_joins():
    assert merged([Interval(1, 3), Interval(3, 5)]) == [Interval(1, 5)]
    assert merged([Interval(1, 9), Interval(2, 4)]) == [Interval(1, 9)]
    assert merged([Interval(1, 4), Interval(2, 6), Interval(8, 9)]) == [Interval(1, 6), Interval(8, 9)]


def test_merge_drops_empty_ones():
    assert merged([Interval(4, 4), Interval(1, 2)]) == [Interval(1, 2)]


def test_total_counts_once():
    assert total([Interval(0, 5), Interval(3, 8), Interval(10, 11)]) == 9


def test_gaps():
    assert gaps([Interval(2, 4)], Interval(0, 6)) == [Interval(0, 2), Interval(4, 6)]
    assert gaps([Interval(0, 6)], Interval(0, 6)) == []
    assert gaps([], Interval(0, 6)) == [Interval(0, 6)]
    assert gaps([], Interval(2, 4)) == [Interval(2, 4)]
    assert gaps([Interval(5, 6)], Interval(3, 9)) == [Interval(3, 5), Interval(6, 9)]


def test_gaps_ignore_what_is_outside():
    assert gaps([Interval(-5, -1), Interval(8, 9)], Interval(0, 6)) == [Interval(0, 6)]
    assert gaps([Interval(-5, 2), Interval(5, 9)], Interval(0, 6)) == [Interval(2, 5)]


def test_subtract():
    assert subtract(Interval(0, 10), [Interval(3, 4), Interval(6, 7)]) == [
        Interval(0, 3),
        Interval(4, 6),
        Interval(7, 10),
    ]


def test_busiest():
    assert busiest([Interval(0, 5), Interval(3, 8), Interval(4, 6)]) == (4, 3)
    assert busiest([Interval(0, 3), Interval(3, 8)]) == (0, 1)
    assert busiest([]) is None
