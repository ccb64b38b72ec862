import random

import pytest
from pqueue import Empty, PriorityQueue, largest, merged


def test_order():
    queue = PriorityQueue([("c", 3), ("a", 1), ("b", 2)])
    assert len(queue) == 3
    assert queue.drain() == ["a", "b", "c"]
    assert len(queue) == 0


def test_equals_come_in_order():
    queue = PriorityQueue((name, 1) for name in "edcba")
    assert queue.drain() == list("edcba")


def test_many():
    rng = random.Random(4)
    numbers = rng.sample(range(1000), 60)
    queue = PriorityQueue((number, number) for number in numbers)
    assert queue.drain() == sorted(numbers)


def test_empty():
    queue = PriorityQueue()
    with pytest.raises(Empty):
        queue.peek()
    with pytest.raises(Empty):
        queue.pop()
    assert queue.drain() == []


def test_peek_takes_nothing():
    queue = PriorityQueue([("a", 1)])
    assert queue.peek() == "a"
    assert "a" in queue
    assert queue.pop() == "a"
    assert "a" not in queue


def test_remove():
    rng = random.Random(7)
    numbers = rng.sample(range(100), 30)
    queue = PriorityQueue((number, number) for number in numbers)
    for number in numbers[::3]:
        queue.remove(number)
    assert queue.drain() == sorted(set(numbers) - set(numbers[::3]))
    with pytest.raises(KeyError):
        queue.remove(5000)


def test_remove_the_last_in_the_heap():
    queue = PriorityQueue([("a", 1), ("b", 2)])
    queue.remove("b")
    assert queue.drain() == ["a"]


def test_removal_can_move_up():
    queue = PriorityQueue([(n, n) for n in (0, 10, 1, 11, 12, 2, 3, 13, 14, 15, 16, 4, 5, 6, 7)])
    queue.remove(13)
    queue.remove(14)
    queue.remove(11)
    assert queue.drain() == [0, 1, 2, 3, 4, 5, 6, 7, 10, 12, 15, 16]


def test_any_removal_keeps_order():
    rng = random.Random(3)
    for _ in range(40):
        numbers = rng.sample(range(50), 20)
        queue = PriorityQueue((number, number) for number in numbers)
        gone = rng.sample(numbers, 6)
        for number in gone:
            queue.remove(number)
        assert queue.drain() == sorted(set(numbers) - set(gone))


def test_update():
    queue = PriorityQueue([("a", 1), ("b", 2), ("c", 3)])
    queue.update("c", 0)
    queue.push("a", 9)
    assert len(queue) == 3
    assert queue.priority("a") == 9
    assert queue.drain() == ["c", "b", "a"]
    with pytest.raises(KeyError):
        queue.update("z", 1)


def test_priority():
    queue = PriorityQueue([("a", 0)])
    assert queue.priority("a", 5) == 0
    assert queue.priority("b") is None
    assert queue.priority("b", 5) == 5


def test_drain_some():
    queue = PriorityQueue([("a", 1), ("b", 2), ("c", 3)])
    assert queue.drain(2) == ["a", "b"]
    assert queue.drain(0) == []
    assert queue.drain(5) == ["c"]


def test_copy():
    queue = PriorityQueue([("a", 1), ("b", 2)])
    other = queue.copy()
    assert other.drain() == ["a", "b"]
    assert queue.drain() == ["a", "b"]
    other.push("x", 1)
    assert "x" not in queue


def test_copy_keeps_turns():
    queue = PriorityQueue([("z", 1), ("y", 1)]).copy()
    queue.push("a", 1)
    assert queue.drain() == ["z", "y", "a"]


def test_largest():
    assert largest([5, 1, 9, 3, 7], 3) == [9, 7, 5]
    assert largest([5], 3) == [5]
    assert largest([5, 1], 0) == []


def test_merged():
    assert merged([1, 4, 7], [2, 5], [], [3]) == [1, 2, 3, 4, 5, 7]
    assert merged([0, 0], [0]) == [0, 0, 0]
    assert merged() == []
