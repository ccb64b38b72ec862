"""A cache that forgets what was not used for longest."""

from collections import OrderedDict
from functools import wraps

MISSING = object()


class LRU:
    """At most `size` entries; with `ttl`, entries older than so many seconds are gone."""

    def __init__(self, size, ttl=None, clock=None):
        if size < 1:
            raise ValueError("size must be at least 1")
        self.size = size
        self.ttl = ttl
        self.clock = clock or (lambda: 0)
        self.hits = 0
        self.misses = 0
        self._data = OrderedDict()

    def __len__(self):
        return len(self._data)

    def __contains__(self, key):
        return self._live(key)

    def _live(self, key):
        if key not in self._data:
            return False
        _, born = self._data[key]
        if self.ttl is not None and self.clock() - born >= self.ttl:
            del self._data[key]
            return False
        return True

    def get(self, key, default=None):
        if not self._live(key):
            self.misses += 1
            return default
        self.hits += 1
        self._data.move_to_end(key)
        return self._data[key][0]

    def put(self, key, value):
        self._data[key] = (value, self.clock())
        self._data.move_to_end(key)
        while len(self._data) > self.size:
            self._data.popitem(last=False)

    def pop(self, key):
        """Take an entry out; KeyError where there is none."""
        if not self._live(key):
            raise KeyError(key)
        return self._data.pop(key)[0]

    def keys(self):
        """Keys of live entries, the one that goes first first."""
        return [key for key in list(self._data) if self._live(key)]

    def ratio(self):
        """Share of hits; 0.0 before anything was asked."""
        asked = self.hits + self.misses
        if not asked:
            return 0.0
        return self.hits / asked

    def resize(self, size):
        """Another size; returns the keys that had to go."""
        gone = []
        self.size = size
        while len(self._data) > self.size:
            key, _ = self._data.popitem(last=False)
            gone.append(key)
        return gone


def memoized(size=16):
    """A decorator: remember results by arguments. Exceptions are not remembered."""

    def decorate(function):
        cache = LRU(size)

        @wraps(function)
        def wrapper(*args, **kwargs):
            key = (args, tuple(sorted(kwargs.items())))
            found = cache.get(key, MISSING)
            if found is MISSING:
                found = function(*args, **kwargs)
                cache.put(key, found)
            return found

        wrapper.cache = cache
        return wrapper

    return decorate


def grouped(pairs, into=None):
    """Key → values, in order of appearance; added to `into` where it is given."""
    found = {} if into is None else into
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
