"""A queue that gives the smallest priority first, and first in, first out, among equals."""


class Empty(LookupError):
    """Nothing is in the queue."""


class PriorityQueue:
    """A binary heap of (priority, number, item); items are found by name."""

    def __init__(self, items=()):
        self._heap = []
        self._places = {}
        self._count = 0
        for item, priority in items:
            self.push(item, priority)

    def __len__(self):
        return len(self._heap)

    def __contains__(self, item):
        return item in self._places

    def push(self, item, priority):
        """Add an item, or give it another priority."""
        if item in self._places:
            self.update(item, priority)
            return
        self._heap.append((priority, self._count, item))
        self._places[item] = len(self._heap) - 1
        self._count += 1
        self._up(len(self._heap) - 1)

    def peek(self):
        """The first item; Empty where there is none."""
        if not self._heap:
            raise Empty("the queue is empty")
        return self._heap[0][2]

    def pop(self):
        """Take the first item out."""
        item = self.peek()
        self.remove(item)
        return item

    def remove(self, item):
        """Take an item out, wherever it is; KeyError where it is not."""
        place = self._places.pop(item)
        last = self._heap.pop()
        if place < len(self._heap):
            self._heap[place] = last
            self._places[last[2]] = place
            self._down(place)
            self._up(place)

    def update(self, item, priority):
        """Another priority for an item; its turn among equals stays."""
        place = self._places[item]
        old, number, _ = self._heap[place]
        self._heap[place] = (priority, number, item)
        if priority < old:
            self._up(place)
        else:
            self._down(place)

    def priority(self, item, default=None):
        """An item's priority."""
        if item not in self._places:
            return default
        return self._heap[self._places[item]][0]

    def drain(self, most=None):
        """Take out up to `most` items, in order."""
        found = []
        while self._heap and (most is None or len(found) < most):
            found.append(self.pop())
        return found

    def _up(self, place):
        while place > 0:
            parent = (place - 1) // 2
            if not self._heap[place] < self._heap[parent]:
                return
            self._swap(place, parent)
            place = parent

    def _down(self, place):
        while True:
            left, right = 2 * place + 1, 2 * place + 2
            least = place
            if left < len(self._heap) and self._heap[left] < self._heap[least]:
                least = left
            if right < len(self._heap) and self._heap[right] < self._heap[least]:
                least = right
            if least == place:
                return
            self._swap(place, least)
            place = least

    def _swap(self, a, b):
        self._heap[a], self._heap[b] = self._heap[b], self._heap[a]
        self._places[self._heap[a][2]] = a
        self._places[self._heap[b][2]] = b

    def copy(self):
        """A queue of its own with the same items."""
        other = PriorityQueue()
        other._heap = list(self._heap)
        other._places = dict(self._places)
        other._count = self._count
        return other


def largest(values, count):
    """The `count` largest, largest first."""
    queue = PriorityQueue()
    for number, value in enumerate(values):
        queue.push(number, value)
        if len(queue) > count:
            queue.pop()
    values = list(values)
    return [values[number] for number in queue.drain()][::-1]


def merged(*lists):
    """Sorted lists as one."""
    queue = PriorityQueue((number, items[0]) for number, items in enumerate(lists) if items)
    at = [0] * len(lists)
    out = []
    while len(queue):
        number = queue.pop()
        out.append(lists[number][at[number]])
        at[number] += 1
        if at[number] < len(lists[number]):
            queue.push(number, lists[number][at[number]])
    return out
