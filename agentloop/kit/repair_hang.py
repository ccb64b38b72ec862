"""Ends a test that hangs, by an exception where it stands, so that its traceback tells where."""

import signal
import threading

WAITING = 3
"""How many times longer a test may take when it waits instead of working."""


class TooSlow(BaseException):
    """A test took longer than it may."""


def watch(seconds):
    """From now on, raise TooSlow after so many seconds of processor time; 0 ends the watch."""
    if threading.current_thread() is threading.main_thread():
        for number, clock, most in (
            (signal.SIGPROF, signal.ITIMER_PROF, seconds),
            (signal.SIGALRM, signal.ITIMER_REAL, seconds * WAITING),
        ):
            signal.setitimer(clock, 0)
            if seconds:
                signal.signal(number, stop)
                signal.setitimer(clock, most)


def stop(number, frame):
    # One is enough: the other clock must not strike while the first is being told.
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise TooSlow("the test took too long")
