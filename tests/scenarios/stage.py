"""A few text files, a planner and an executor from a script, and runs of them through the real SDKs.

The planner speaks Anthropic's format, the executor OpenAI's; both are local servers. The goal's checks are `contains`
checks on text files, so that a scenario takes seconds and the verdicts are real.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentloop import run
from agentloop.core import events as e
from agentloop.errors import Stopped
from agentloop.host.log import FileLog
from agentloop.state import State
from tests.repos import repository
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply, openai_reply

USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
REPLY_USAGE = {"input_tokens": 900, "output_tokens": 60}
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-not-a-key-at-all", "OPENAI_API_KEY": "sk-not-a-key-at-all"}

Step = tuple[str, dict[str, Any]]
"""A tool's name and arguments."""


def has(file: str, text: str) -> dict[str, str]:
    """A planned check: `file` holds `text`."""
    return {"kind": "contains", "params": json.dumps({"file": file, "text": text}), "expect": "green"}


def task(name: str, directive: str, *checks: dict[str, str], **more: Any) -> dict[str, Any]:
    """A task as a planner writes it."""
    return {
        "id": name, "capability": "code", "directive": directive, "toward": ["a"], "reads": [], "writes": [],
        "needs": [], "assumes": [], "may_break": [], "acceptance": list(checks), "expected_cost": 0, **more,
    }  # fmt: skip


def plan(*tasks: dict[str, Any], **more: Any) -> str:
    """A plan as a planner writes it; without `catalogue` it is for the one that was shown."""
    return json.dumps({"roadmap": "the rest of the way", "assumptions": [], "tasks": list(tasks), **more})


def write(path: str, content: str) -> Step:
    """The executor replaces a file."""
    return "write", {"path": path, "content": content}


def words(command: str) -> Step:
    """The executor runs a command."""
    return "run", {"argv": shlex.split(command)}


def report(claim: str = "done", **more: Any) -> Step:
    """The executor ends its task."""
    return "report", {"claim": claim, **more}


@dataclass
class Played:
    """What became of a run, and all that either model was asked."""

    stop: Stopped | None
    state: State
    events: list[Any]
    planner: list[str] = field(default_factory=list)
    executor: list[str] = field(default_factory=list)
    folder: Path = Path()

    def ticks(self) -> list[tuple[str, str]]:
        """Task and status of each tick, skipped ones too."""
        return [(tick.task, tick.status) for tick in self.state.folded.ticks]

    def facts(self, trigger: str) -> list[str]:
        """What the facts of one trigger say."""
        return [fact.text for fact in self.state.folded.facts if fact.trigger == trigger]

    def refusals(self) -> str:
        """Every problem that a plan was given back with."""
        refused = [event for event in self.events if isinstance(event, e.PlanRefused)]
        return "\n".join("\n".join(json.loads(self.state.log.get(event.blob))) for event in refused)


def play(
    tmp: Path,
    plans: list[str] | Callable[[int], str],
    work: list[list[Step]] | Callable[[int], list[Step]],
    files: dict[str, str] | None = None,
    **more: Any,
) -> Played:
    """Run the goal with these plans and these answers, a list of steps for each task; where `plans` are used up the
    planner gives up, and functions are asked with the number of the request or task, from 1."""
    repository(tmp / "repo", files or {"a.txt": "bad\n", "b.txt": "bad\n", "c.txt": "one\n"})
    asked: list[int] = []
    begun: list[int] = []

    def planned(body: dict[str, Any]) -> Any:
        asked.append(1)
        if callable(plans):
            return anthropic_reply(plans(len(asked)), usage=REPLY_USAGE)
        text = plans[len(asked) - 1] if len(asked) <= len(plans) else plan()
        return anthropic_reply(text, usage=REPLY_USAGE)

    def worked(body: dict[str, Any]) -> Any:
        said = [message for message in body["messages"] if message["role"] == "assistant"]
        if not said:
            begun.append(1)
        steps = work(len(begun)) if callable(work) else work[len(begun) - 1]
        name, arguments = steps[len(said)]
        return openai_reply("", [(f"call-{len(begun)}-{len(said)}", name, json.dumps(arguments))], usage=USAGE)

    with WireServer(planned) as planner, WireServer(worked) as executor:
        file = tmp / "goal.yaml"
        file.write_text(json.dumps(goal(planner, executor, **more)))
        stop = None
        try:
            run(file, runs=str(tmp / "runs"), environ=KEYS)
        except Stopped as stopped:
            stop = stopped
        prompts = [request.body["messages"][0]["content"] for request in planner.log]
        worker = [json.dumps(request.body, ensure_ascii=False) for request in executor.log]
    (folder,) = (tmp / "runs").iterdir()
    log = FileLog.read_only(folder)
    texts = [text if isinstance(text, str) else "".join(part["text"] for part in text) for text in prompts]
    return Played(stop, State(log, lambda: 0), [stamped.event for stamped in log], texts, worker, folder)


def goal(planner: WireServer, executor: WireServer, **more: Any) -> dict[str, Any]:
    """The goal file of a scenario: `a.txt` and `b.txt` shall hold ``good``."""
    return {
        "goal": "Make a.txt and b.txt good.",
        "repo": "repo",
        "accept": [
            {"contains": {"file": "a.txt", "text": "good"}, "name": "a"},
            {"contains": {"file": "b.txt", "text": "good"}, "name": "b"},
        ],
        "budget": {"tokens": 5_000_000, "ticks": 12, "minutes": 5},
        "models": {
            "planner": {"model": "anthropic:planner-1", "base_url": planner.anthropic_url, "stream": False},
            "executor": {"model": "openai:executor-1", "base_url": executor.openai_url, "stream": False},
        },
        **more,
    }
