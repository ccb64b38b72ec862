"""Tries program candidates against tests, each in a process forked for it: ``python repair_server.py REQUEST``.

REQUEST is a JSON file with `tree`, `slots` (folders, each a copy of the tree), `candidates` (a JSON lines file: `id`,
`path`, `edits`, which are triples of first byte, last byte and text, `near`, indices of passing tests to run first,
and `part`, where the function around the edits stands, or null), `results` (where a JSON line per candidate goes: `id`,
`outcome` passed, failed, hang or crash, `failing`, the number of tests seen not to pass, and `seconds`), `failing`
(test ids to run first), `passing` (ids to run when those pass), `modules` (to import beforehand), `want` (stop after so
many that pass), `seconds` (stop after so long), `limits` (seconds of wall time for the failing and for the passing
tests of one candidate) and `each` (test id → seconds of processor time). What a limit ended is tried again with longer
ones after all others, where nothing passed. Results come in the order of the candidates' finish; every candidate before
one that was tried is tried too, so the first that passes by rank is known.
"""

import gc
import json
import os
import select
import sys
import time

import repair_place  # type: ignore[import-not-found]
import repair_slot  # type: ignore[import-not-found]
import repair_watch  # type: ignore[import-not-found]

START = repair_watch.START


def main():
    """Serve one request."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    sys.dont_write_bytecode = True
    repair_place.leave(request["tree"])
    bare = "bare" in sys.argv
    if not repair_place.warm_up([] if bare else request["modules"]) and not bare:
        os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), sys.argv[1], "bare"])
    repair_place.leave(request["tree"])
    gc.collect()
    gc.freeze()
    Server(request).serve()
    os._exit(0)


class Server(repair_watch.Watch):  # type: ignore[misc]
    """Keeps every slot busy until enough candidates pass, time is up, or none is left."""

    def __init__(self, request):
        self.request = request
        self.passed, self.late = 0, []
        self.absent = set()
        self.slots = [repair_slot.Slot(folder) for folder in request["slots"]]
        for slot in self.slots:
            slot.keepers["hot"] = self.open(slot, "hot")
        ready = time.monotonic() + START + sum(request["limits"])
        for slot in self.slots:
            self.await_ready(slot, "hot", ready)
        self.began = time.monotonic()
        self.deadline = self.began + request["seconds"]
        self.results = open(request["results"], "a", buffering=1, encoding="utf-8")  # noqa: SIM115 -- open till the end

    def open(self, slot, heat):
        pipes = [fd for one in self.slots for fd in one.pipes]
        return repair_slot.Line(slot.folder, self.request, heat, pipes)

    def await_ready(self, slot, heat, deadline):
        """Let a keeper of a slot go where it is not ready in time, or can't be."""
        line, loaded = slot.keepers[heat], None
        if select.select([line.answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
            loaded = (line.read() or [{"ready": None}])[0]["ready"]
        if loaded is None:
            line.end()
            slot.keepers[heat] = None
        elif heat == "warm":
            slot.loaded = set(loaded)

    def serve(self):
        with open(self.request["candidates"], encoding="utf-8") as candidates:
            for line in candidates:
                if not self.give({**json.loads(line), "factor": 1}):
                    break
        self.drain()
        while self.late and not self.passed and self.give(self.late.pop(0)):
            if not self.late:
                self.drain()
        self.drain()

    def drain(self):
        while any(slot.job for slot in self.slots):
            self.wait()

    def give(self, candidate):
        """Hand a candidate to a slot; False where the search is over."""
        while not (free := [slot for slot in self.slots if slot.job is None]):
            self.wait()
        if self.passed >= self.request["want"] or time.monotonic() > self.deadline:
            return False
        slot = free[0]
        slot.job = {"candidate": candidate, "path": None, "began": time.monotonic(), "failing": 0}
        if candidate["part"] and slot.keepers["hot"] and candidate["path"] not in self.absent:
            self.command(slot, slot.keepers["hot"], "all")
        else:
            self.in_file(slot)
        return True

    def in_file(self, slot):
        """Try the slot's candidate with its file in place."""
        candidate = slot.job["candidate"]
        if "warm" not in slot.keepers:
            slot.keepers["warm"] = self.open(slot, "warm")
            self.await_ready(slot, "warm", time.monotonic() + START)
        heat = "warm" if slot.keepers["warm"] and candidate["path"] not in slot.loaded else "cold"
        slot.keepers[heat] = slot.keepers.get(heat) or self.open(slot, heat)
        slot.job["path"], slot.job["before"] = slot.write(candidate)
        self.command(slot, slot.keepers[heat], "failing")

    def command(self, slot, line, stage):
        candidate = slot.job["candidate"]
        failing, passing = self.request["limits"]
        limit = {"failing": failing, "passing": passing, "all": failing + passing}[stage] * candidate["factor"]
        slot.job.update(stage=stage, outcome="crash", pid=None, limit=time.monotonic() + limit)
        slot.line = line
        line.say({**candidate, "stage": stage})


if __name__ == "__main__":
    main()
