"""Runs asynchronous jobs: with retries, a bound on how many at once, and hooks."""

import asyncio
import logging

log = logging.getLogger("jobs")


class JobFailed(Exception):
    """A job that failed for good; `tries` is how often it was tried."""

    def __init__(self, name, tries):
        super().__init__(f"{name} failed after {tries} tries")
        self.name = name
        self.tries = tries


class Job:
    """A named coroutine function with its arguments."""

    def __init__(self, name, call, *args, **kwargs):
        self.name = name
        self.call = call
        self.args = args
        self.kwargs = kwargs
        self.state = "new"
        self.result = None

    async def run(self):
        self.state = "running"
        try:
            self.result = await self.call(*self.args, **self.kwargs)
        except Exception:
            self.state = "failed"
            raise
        self.state = "done"
        return self.result


class Retried(Job):
    """A job that is tried up to `tries` times when it raises one of `errors`."""

    def __init__(self, name, call, *args, tries=3, errors=(OSError,), **kwargs):
        super().__init__(name, call, *args, **kwargs)
        self.tries = tries
        self.errors = errors
        self.waits = []

    async def run(self):
        for number in range(1, self.tries + 1):
            try:
                return await super().run()
            except self.errors as error:
                if number == self.tries:
                    raise JobFailed(self.name, number) from error
                self.waits.append(2 ** (number - 1))
                await asyncio.sleep(0)
        return None


class Runner:
    """Runs jobs, at most `limit` at once, and tells listeners of each that is done."""

    def __init__(self, limit=2):
        self.limit = limit
        self.listeners = []
        self.active = 0
        self.peak = 0

    def listen(self, function):
        """Call `function(job)` after each job; usable as a decorator."""
        self.listeners.append(function)
        return function

    async def run(self, jobs):
        """Name → result, or the exception of a job that failed."""
        gate = asyncio.Semaphore(self.limit)
        results = await asyncio.gather(*(self._one(job, gate) for job in jobs), return_exceptions=True)
        return {job.name: result for job, result in zip(jobs, results, strict=True)}

    async def _one(self, job, gate):
        async with gate:
            self.active += 1
            self.peak = max(self.peak, self.active)
            try:
                return await job.run()
            finally:
                self.active -= 1
                await self._tell(job)

    async def _tell(self, job):
        for listener in self.listeners:
            answer = listener(job)
            if asyncio.iscoroutine(answer):
                await answer


async def first(*calls, default=None):
    """The first result that is not None, asked one after another."""
    for call in calls:
        result = await call()
        if result is not None:
            return result
    return default


async def batches(source, size):
    """Lists of `size` from an asynchronous iterator; the last may be shorter."""
    batch = []
    async for item in source:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def by_state(jobs):
    """State → names of jobs."""
    found = {}
    for job in jobs:
        found.setdefault(job.state, []).append(job.name)
    return found
