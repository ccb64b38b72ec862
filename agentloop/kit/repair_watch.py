"""Watches the runs of candidates: hears keepers, ends what takes too long, writes down what became of it."""

import json
import select
import signal
import time
from typing import Any

START = 20.0
"""Seconds in which a keeper must get pytest ready, beside what a candidate may take."""

LONGER = 20
"""How much longer the limits are for what is tried again."""


class Watch:
    """The server's half that waits. A candidate that hangs costs its own run, which a keeper forked, and no keeper."""

    request: Any
    slots: Any
    late: Any
    absent: Any
    results: Any
    passed: int
    began: float
    deadline: float
    in_file: Any
    command: Any

    def wait(self):
        busy = {slot.line.answers: slot for slot in self.slots if slot.job}
        soonest = min(slot.job["limit"] for slot in busy.values())
        ready, _, _ = select.select(list(busy), [], [], max(0.01, soonest - time.monotonic()))
        for fd in ready:
            self.hear(busy[fd])
        for slot in self.slots:
            if slot.job and slot.job["limit"] + START * (slot.job["pid"] is None) <= time.monotonic():
                slot.job.update(outcome="hang", limit=time.monotonic() + 1.0)
                slot.kill()

    def hear(self, slot):
        """Take in what a keeper or its run says."""
        answers = slot.line.read()
        if answers is None:
            if slot.job["pid"]:
                slot.kill()
            slot.drop()
            return self.finish(slot)
        for answer in answers:
            slot.job.update({key: value for key, value in answer.items() if key in ("pid", "failing")})
            if "outcome" in answer and slot.job["outcome"] == "crash":
                slot.job["outcome"] = answer["outcome"]
            if "end" in answer:
                if answer["signal"] == signal.SIGPROF:
                    slot.job["outcome"] = "hang"
                self.ended(slot)
        return None

    def ended(self, slot):
        """A run is over: the candidate must hold in its file too, the passing tests are next, or it is through."""
        job = slot.job
        if job["stage"] == "all" and job["outcome"] in ("passed", "unfit", "absent"):
            if job["outcome"] == "absent":
                self.absent.add(job["candidate"]["path"])
            self.in_file(slot)
        elif job["outcome"] == "passed" and job["stage"] == "failing" and self.request["passing"]:
            self.command(slot, slot.line, "passing")
        else:
            self.finish(slot)

    def finish(self, slot):
        job, now = slot.job, time.monotonic()
        slot.restore()
        slot.job = None
        if job["outcome"] == "hang" and job["candidate"]["factor"] == 1:
            self.late.append({**job["candidate"], "factor": LONGER})
        if job["outcome"] == "passed":
            self.passed += 1
            # Runners-up are worth a little more time, not all that is left.
            self.deadline = min(self.deadline, now + max(1.0, 0.25 * (now - self.began)))
        row = {"id": job["candidate"]["id"], "outcome": job["outcome"], "failing": job["failing"]}
        self.results.write(json.dumps({**row, "seconds": now - job["began"]}) + "\n")
