import asyncio

import pytest
from jobs import Job, JobFailed, Retried, Runner, batches, by_state, first


async def double(x, plus=0):
    await asyncio.sleep(0)
    return 2 * x + plus


async def broken():
    raise ValueError("no")


class Flaky:
    def __init__(self, failures):
        self.failures = failures
        self.calls = 0

    async def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise OSError("again")
        return "ok"


async def numbers(count):
    for number in range(count):
        yield number


async def listed(source):
    return [item async for item in source]


def test_job():
    job = Job("d", double, 4, plus=1)
    assert job.state == "new"
    assert asyncio.run(job.run()) == 9
    assert (job.state, job.result) == ("done", 9)


def test_job_fails():
    job = Job("b", broken)
    with pytest.raises(ValueError, match="no"):
        asyncio.run(job.run())
    assert job.state == "failed"


def test_retries():
    call = Flaky(2)
    job = Retried("r", call)
    assert asyncio.run(job.run()) == "ok"
    assert call.calls == 3
    assert job.waits == [1, 2]
    assert job.state == "done"


def test_retries_end():
    call = Flaky(9)
    with pytest.raises(JobFailed, match="r failed after 2 tries") as caught:
        asyncio.run(Retried("r", call, tries=2).run())
    assert call.calls == 2
    assert caught.value.tries == 2
    assert isinstance(caught.value.__cause__, OSError)


def test_other_errors_are_not_retried():
    job = Retried("b", broken)
    with pytest.raises(ValueError, match="no"):
        asyncio.run(job.run())
    assert job.waits == []


def test_runner():
    jobs = [Job("a", double, 1), Job("b", broken), Job("c", double, 3)]
    results = asyncio.run(Runner().run(jobs))
    assert results["a"] == 2
    assert isinstance(results["b"], ValueError)
    assert results["c"] == 6
    assert by_state(jobs) == {"done": ["a", "c"], "failed": ["b"]}


def test_limit():
    runner = Runner(limit=2)
    asyncio.run(runner.run([Job(str(n), double, n) for n in range(5)]))
    assert runner.peak == 2
    assert runner.active == 0


def test_active_after_failure():
    runner = Runner()
    asyncio.run(runner.run([Job("b", broken), Job("a", double, 1)]))
    assert runner.active == 0


def test_listeners():
    runner, heard = Runner(limit=1), []

    @runner.listen
    def plain(job):
        heard.append(("plain", job.name, job.state))

    @runner.listen
    async def slow(job):
        await asyncio.sleep(0)
        heard.append(("slow", job.name, job.state))

    asyncio.run(runner.run([Job("a", double, 1), Job("b", broken)]))
    assert heard == [("plain", "a", "done"), ("slow", "a", "done"), ("plain", "b", "failed"), ("slow", "b", "failed")]
    assert plain is not None


def test_listeners_are_the_runners_own():
    one, two = Runner(), Runner()
    one.listen(print)
    assert two.listeners == []


def test_first():
    async def nothing():
        return None

    async def zero():
        return 0

    assert asyncio.run(first(nothing, zero)) == 0
    assert asyncio.run(first(nothing, default=7)) == 7
    assert asyncio.run(first()) is None


def test_batches():
    assert asyncio.run(listed(batches(numbers(5), 2))) == [[0, 1], [2, 3], [4]]
    assert asyncio.run(listed(batches(numbers(4), 2))) == [[0, 1], [2, 3]]
    assert asyncio.run(listed(batches(numbers(0), 2))) == []
