import pytest
from lru import LRU, grouped, memoized


class Clock:
    def __init__(self):
        self.now = 100

    def __call__(self):
        return self.now


def test_keeps_and_forgets():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert len(cache) == 2
    cache.put("c", 3)
    assert cache.get("a") is None
    assert cache.get("b") == 2
    assert cache.get("c") == 3
    assert len(cache) == 2


def test_use_keeps_alive():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert "a" in cache
    assert "b" not in cache


def test_overwriting_is_use():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("a", 3)
    cache.put("c", 4)
    assert cache.keys() == ["a", "c"]
    assert cache.get("a") == 3


def test_default():
    assert LRU(1).get("x", 7) == 7


def test_size_is_checked():
    with pytest.raises(ValueError, match="at least 1"):
        LRU(0)
    assert LRU(1).size == 1


def test_time_to_live():
    clock = Clock()
    cache = LRU(3, ttl=10, clock=clock)
    cache.put("a", 1)
    clock.now += 9
    assert "a" in cache
    cache.put("b", 2)
    clock.now += 1
    assert "a" not in cache
    assert cache.get("b") == 2
    assert cache.keys() == ["b"]


def test_pop():
    cache = LRU(2)
    cache.put("a", 1)
    assert cache.pop("a") == 1
    assert "a" not in cache
    with pytest.raises(KeyError):
        cache.pop("a")


def test_ratio():
    cache = LRU(2)
    assert cache.ratio() == 0.0
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    cache.get("a")
    cache.get("a")
    assert cache.ratio() == 0.75


def test_resize():
    cache = LRU(3)
    for key in "abc":
        cache.put(key, key)
    assert cache.resize(1) == ["a", "b"]
    assert cache.keys() == ["c"]


def test_memoized():
    calls = []

    @memoized(2)
    def double(x, by=2):
        calls.append(x)
        return x * by

    assert [double(1), double(1), double(1, by=3), double(1, by=3)] == [2, 2, 3, 3]
    assert calls == [1, 1]
    assert double.__name__ == "double"


def test_memoized_remembers_none():
    calls = []

    @memoized()
    def nothing(x):
        calls.append(x)

    assert nothing(1) is None
    assert nothing(1) is None
    assert calls == [1]


def test_memoized_does_not_remember_errors():
    calls = []

    @memoized()
    def bad(x):
        calls.append(x)
        raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            bad(1)
    assert calls == [1, 1]


def test_grouped():
    assert grouped([("a", 1), ("b", 2), ("a", 3)]) == {"a": [1, 3], "b": [2]}
    assert grouped([("a", 1)]) == {"a": [1]}
    known = {"a": [0]}
    assert grouped([("a", 1)], known) is known
    assert known == {"a": [0, 1]}
    empty = {}
    grouped([("z", 1)], empty)
    assert empty == {"z": [1]}
