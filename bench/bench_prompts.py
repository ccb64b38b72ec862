"""How large prompts get as a run goes on: the planner's at tick 10, 100 and 1,000, and an executor's against a loop
that keeps its whole history. Tokens are estimated at four bytes each; only ratios are compared. Exit code 1 where the
planner's prompt is not flat within 20 %.

The run is the real loop with the real planner on a goal in memory: no network, nothing is bought. Every tick is another
failure with words of its own, so that facts, tick lines and the roadmap are all as full as they get.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from agentloop.core import events as e
from agentloop.core.chat import Reply, Request
from agentloop.core.records import Limits
from agentloop.core.task import Artifact, Fact, Task
from agentloop.errors import Stopped
from agentloop.loop import run
from agentloop.roles.catalogue import Means
from agentloop.roles.planner import ModelPlanner
from agentloop.roles.teller import Teller
from agentloop.workers.brief import brief
from tests.fakes import FakeModel
from tests.world import World, done, world

AT = (10, 100, 1_000)
FLAT = 0.20
WORK = "The executor read the module, ran its tests, edited a function and ran the tests again. " * 40
"""What one task's conversation adds to a loop that keeps everything: about 3,500 bytes, which is little."""


def tokens(text: str) -> int:
    """An estimate: a token for four bytes."""
    return -(-len(text.encode()) // 4)


def word(number: int) -> str:
    """A number in letters: digits do not make a failure or a directive a new one."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


class Measured(FakeModel):
    """Plans another task each time, and keeps the size of every prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def ask(self, request: Request, *args: Any, **more: Any) -> Reply:
        """The next plan."""
        number = len(self.sizes) + 1
        self.sizes.append(tokens(request.system) + tokens(request.messages[0].text))
        task = {
            "id": f"task-{number}", "capability": "code", "directive": f"Mend way {word(number)} of a, with care. " * 5,
            "toward": ["a"], "reads": [], "writes": [], "needs": [], "assumes": [], "may_break": [],
            "acceptance": [{"kind": "fake", "params": "a", "expect": "green"}], "expected_cost": 0,
        }  # fmt: skip
        plan = {"roadmap": f"after step {number}: look at the rest. " * 20, "assumptions": [], "tasks": [task]}
        return Reply(text=json.dumps(plan), stop="end")


class Failing:
    """Fails each task in a new way, and keeps the size of its own prompt and of one with all that came before."""

    def __init__(self, world: World) -> None:
        self.world, self.sizes, self.history = world, [], []
        self.before = 0

    def run(self, task: Task, context: Any) -> Artifact:
        """A change that does not pass, and a measured failure that was never seen before."""
        number = len(self.sizes) + 1
        prompt = tokens(brief(task, context))
        self.sizes.append(prompt)
        self.history.append(prompt + self.before)
        self.before += tokens(task.directive) + tokens(WORK)
        text = f"the check a failed in the way {word(number)}: expected one thing, found another " * 4
        fact = Fact(key=f"k{number}", text=text, measured=True, trigger="failed", source=task.id, tick=number)
        self.world.state.record(e.Noted(fact=fact))
        return done(self.world, {"a": f"bad in the way {word(number)}"})


def main() -> int:
    """Print the table; 1 where the planner's prompt grows."""
    limits = Limits(ticks=max(AT), replans=9, tool_calls=None)
    w = world(limits=limits, stall=99)
    model, worker = Measured(), Failing(w)
    means = Means({"code": "changes files"}, {"fake": w.check})
    teller = Teller(w.state, "planner", (model,), lambda call: call())
    w.planner, w.worker = ModelPlanner(w.goal, teller, means, w.verifier.probe, 500), worker
    try:
        run(w.goal, limits, w.state, w)
    except Stopped as stop:
        print(f"ended as planned: {stop.reason}")
    print(f"{'tick':>6} {'planner':>9} {'executor':>9} {'with full history':>18} {'times':>7}")
    for tick in AT:
        own, whole = worker.sizes[tick - 1], worker.history[tick - 1]
        print(f"{tick:>6} {model.sizes[tick - 1]:>9,} {own:>9,} {whole:>18,} {whole / own:>7.1f}")
    # At tick 10 not all parts are full yet: what must not grow is what follows.
    first, last = model.sizes[AT[1] - 1], model.sizes[AT[2] - 1]
    growth = max(model.sizes[AT[1] - 1 :]) / first - 1
    print(f"planner, tick {AT[1]} to {AT[2]}: {last / first - 1:+.1%}, at most {growth:+.1%}")
    return int(growth > FLAT)


if __name__ == "__main__":
    sys.exit(main())
