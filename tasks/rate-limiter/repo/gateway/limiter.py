"""A sliding window: how many requests a client sent in the last seconds."""

import math
from collections import deque


class SlidingWindow:
    """Remembers the times of one client's requests that were let through."""

    def __init__(self, plan):
        self.plan = plan
        self._times = deque()

    def _forget(self, now):
        """Drop the times that lie outside of the window that ends now."""
        while self._times and self._times[0] <= now - self.plan.window:
            self._times.popleft()

    def used(self, now):
        """Requests within the window that ends now."""
        self._forget(now)
        return len(self._times)

    def admit(self, now):
        """Whether a request may pass now; if so, it is counted."""
        if self.used(now) > self.plan.limit:
            return False
        self._times.append(now)
        return True

    def retry_after(self, now):
        """Whole seconds until a request can pass again; 0 if one can now."""
        if self.used(now) < self.plan.limit:
            return 0
        if not self._times:
            return math.ceil(self.plan.window)
        return max(1, math.ceil(self._times[0] + self.plan.window - now))
