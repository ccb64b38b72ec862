from gateway.limiter import SlidingWindow
from gateway.plans import Plan


def window(limit, seconds=60.0):
    return SlidingWindow(Plan("test", limit, seconds))


def admitted(limiter, times):
    return sum(limiter.admit(now) for now in times)


def test_requests_below_the_limit_pass():
    assert admitted(window(10), [0.1 * i for i in range(10)]) == 10


def test_a_burst_is_cut_at_the_limit():
    for limit in (1, 2, 3, 10, 100):
        assert admitted(window(limit), [5.0] * (limit + 20)) == limit


def test_a_plan_of_zero_lets_nothing_through():
    limiter = window(0)
    assert not limiter.admit(0.0)
    assert not limiter.admit(1000.0)
    assert limiter.used(1000.0) == 0


def test_no_window_ever_holds_more_than_the_limit():
    for limit in (1, 4, 7):
        limiter = window(limit, 10.0)
        passed = [now for now in (0.5 * i for i in range(400)) if limiter.admit(now)]
        for end in passed:
            assert sum(end - 10.0 < time <= end for time in passed) <= limit
        assert len(passed) >= 19 * limit


def test_a_refused_request_is_not_counted():
    limiter = window(2, 10.0)
    assert limiter.admit(0.0)
    assert limiter.admit(1.0)
    assert not limiter.admit(2.0)
    assert limiter.used(2.0) == 2
    assert limiter.admit(10.0)


def test_a_request_leaves_the_window_after_its_whole_length():
    limiter = window(5, 10.0)
    limiter.admit(3.0)
    assert limiter.used(12.9) == 1
    assert limiter.used(13.0) == 0


def test_retry_after_counts_to_the_oldest_request():
    limiter = window(2, 60.0)
    limiter.admit(0.0)
    assert limiter.retry_after(0.0) == 0
    limiter.admit(10.0)
    assert limiter.retry_after(10.0) == 50
    assert limiter.retry_after(59.5) == 1
    assert limiter.retry_after(60.0) == 0


def test_retry_after_of_a_plan_of_zero_is_the_window():
    assert window(0, 30.0).retry_after(0.0) == 30
