"""What becomes of a model's answers: nothing in them is trusted, and everything comes back in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from agentloop.core import events as e
from agentloop.core.chat import Message, Reply, Request, Stop, ToolCall, ToolSpec
from agentloop.core.context import TaskContext
from agentloop.core.goal import DEFAULT_COMMANDS, ModelSpec, WorkerSpec
from agentloop.core.screen import Fence
from agentloop.core.task import Artifact
from agentloop.core.tree import Tree
from agentloop.ports import Desk
from agentloop.roles.teller import Teller
from agentloop.state import State
from agentloop.tools import TOOLS, toolbox
from agentloop.tools.shelf import LONGEST
from agentloop.workers.conversation import MAX_ERRORS
from agentloop.workers.react import ReactWorker
from agentloop.workers.recall import RankFor, by_meaning, by_words
from tests.fakes import FakeDesk, FakeModel
from tests.world import World, task, world

SOURCE = "def good():\n    return 1\n\n\ndef other():\n    return 2\n"
FILES = {"src/a.py": SOURCE, "tests/test_a.py": "def test(): pass\n", "long.txt": "0123456789" * 2_000}
MEASURED = "src/a.py:2: return 1"
EDIT = {"path": "src/a.py", "old": "return 1", "new": "return 3"}


class Stage:
    """A worker with a scripted model on a fake desk; `requests` are what the model was asked."""

    def __init__(self, *script: Any, model: FakeModel | None = None, w: World | None = None, **more: Any) -> None:
        self.world = w or world(accept=("src/a.py",), base=FILES)
        self.model = model or FakeModel(*script)
        self.desk: FakeDesk | None = None
        spec = {"pattern": "react", "turns": more.pop("turns", 10), "session": more.pop("session", "full")}
        self.rank: RankFor = more.pop("rank", lambda task: by_words)
        self.window: int = more.pop("window", 10**9)
        self.worker_spec, self.spec = WorkerSpec(**spec), ModelSpec(model="fake:model", **more)

    @contextmanager
    def open(self, tree: Tree) -> Iterator[FakeDesk]:
        self.desk = FakeDesk(self.world.log, tree)
        yield self.desk

    def run(self, state: State | None = None) -> Artifact:
        state = state or self.world.state
        fence = Fence(("src/**",))
        worker = ReactWorker(
            name="code",
            state=state,
            teller=Teller(state, "executor", (self.model,), lambda call: call()),
            desk=self.open,
            tools=lambda task, shelf: {
                **toolbox(
                    tuple(TOOLS), fence, FILES, task.writes, DEFAULT_COMMANDS, shelf, lambda desk, tests: MEASURED
                ),
                "flood": Flood(),
            },
            spec=self.worker_spec,
            model=self.spec,
            window=self.window,
            rank=self.rank,
        )
        context = TaskContext(
            goal="g", tree=state.folded.candidate, checks=("pytest tests/test_a.py",), allow=("src/**",)
        )
        return worker.run(task("t1", "src/a.py", directive="mend it"), context)

    @property
    def requests(self) -> list[Request]:
        return self.model.asked

    def text(self) -> str:
        assert self.desk
        return self.desk.read("src/a.py").decode()


def use(*calls: tuple[str, Any], stop: Stop = "tool", ids: tuple[str, ...] = ()) -> Reply:
    made = [
        ToolCall(
            id=ids[n] if ids else f"c{n}",
            name=name,
            arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
        )
        for n, (name, arguments) in enumerate(calls)
    ]
    return Reply(calls=tuple(made), stop=stop)


def say(text: str, stop: Stop = "end") -> Reply:
    return Reply(text=text, stop=stop)


DONE = use(("report", {"claim": "done"}), ids=("end",))


def last_words(request: Request) -> str:
    return request.messages[-1].text


@pytest.mark.parametrize("stop", ["length", "refusal", "filter", "unknown"])
def test_an_answer_that_is_not_whole_is_never_applied(stop: Stop) -> None:
    """However valid its calls or blocks look; it comes back in words."""
    block = f"```python src/a.py\n{SOURCE.replace('1', '3')}```"
    for odd in (use(("edit", EDIT), stop=stop), Reply(text=block, stop=stop)):
        stage = Stage(odd, DONE)
        artifact = stage.run()
        assert (artifact.claim, artifact.tree) == ("done", None)
        assert f"not whole ({stop})" in last_words(stage.requests[1])
        assert not any(message.calls for message in stage.requests[1].messages)


WRONG: dict[str, tuple[Reply, str]] = {
    "empty": (Reply(stop="end"), "No tool was used"),
    "only thinking": (Reply(stop="end", raw={"p": [{"type": "thinking"}]}), "No tool was used"),
    "a claim": (say("All tests pass, done."), "No tool was used"),
    "unknown tool": (use(("reed", {"path": "src/a.py"})), "read"),
    "not JSON": (use(("edit", '{"path": "src/a.py", ')), "not JSON"),
    "not an object": (use(("edit", "[1]")), "not an object"),
    "duplicate keys": (use(("edit", '{"path": "src/a.py", "path": "b", "old": "x", "new": "y"}')), "twice"),
    "five megabytes": (use(("write", {"path": "src/a.py", "content": "x" * 5_000_000})), "bytes"),
    "unknown parameter": (use(("read", {"file": "src/a.py"})), "unknown parameter 'file'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_comes_back_in_words_and_three_equal_ones_end_the_task(name: str) -> None:
    """Nothing is changed; the conversation stays small; the task ends as aborted, so that nothing of it is accepted."""
    reply, words = WRONG[name]
    stage = Stage(*[reply] * MAX_ERRORS)
    artifact = stage.run()
    assert (artifact.claim, artifact.tree) == ("abort", None)
    assert words in artifact.note
    assert words in last_words(stage.requests[1])
    assert len(stage.requests) == MAX_ERRORS
    assert len(stage.requests[-1].model_dump_json()) < 50_000


def test_unequal_errors_do_not_end_a_task() -> None:
    """Only a model that repeats itself is stopped early."""
    replies = [reply for reply, _ in list(WRONG.values())[3:7]]
    stage = Stage(*replies, DONE)
    assert stage.run().claim == "done"


def test_of_two_calls_with_one_id_the_first_is_done() -> None:
    """The second is told so, under an id of its own: services refuse a conversation with an id that comes twice."""
    stage = Stage(use(("edit", EDIT), ("write", {"path": "src/a.py", "content": "gone"}), ids=("x", "x")), DONE)
    stage.run()
    assert "return 3" in stage.text()
    _, said, first, second = stage.requests[1].messages
    assert [call.id for call in said.calls] == ["x", "x_"] == [first.call_id, second.call_id]
    assert "two calls have the id 'x'" in second.text


def test_an_id_that_was_used_before_is_given_anew() -> None:
    """Small servers count from 0 in every answer; both calls are done."""
    look = use(("read", {"path": "src/a.py"}), ids=("call_0",))
    stage = Stage(look, use(("edit", EDIT), ids=("call_0",)), DONE)
    stage.run()
    assert "return 3" in stage.text()
    ids = [message.call_id for message in stage.requests[2].messages if message.role == "tool"]
    assert ids == ["call_0", "call_0_"]


def test_a_long_result_is_shown_in_part_and_read_in_pages() -> None:
    """The preview names the artifact; all of it can be had, page by page; the log holds it whole."""
    pages = [use(("fetch_artifact", {"id": "?", "offset": at}), ids=(f"p{at}",)) for at in (0, 7900, 15800)]

    def named(reply: Reply) -> Any:
        def answer(request: Request) -> Reply:
            shown = next(m.text for m in request.messages if "fetch_artifact" in m.text)
            name = shown.partition('"id": "')[2].partition('"')[0]
            call = reply.calls[0]
            return reply.model_copy(
                update={"calls": (call.model_copy(update={"arguments": call.arguments.replace("?", name)}),)}
            )

        return answer

    stage = Stage(use(("flood", {})), *map(named, pages), use(("fetch_artifact", {"id": "feedface"}), ids=("n",)), DONE)
    stage.run()
    results = [m.text for m in stage.requests[-1].messages if m.role == "tool"]
    whole = FLOOD
    assert len(results[0]) < LONGEST
    assert f"{len(whole) - 5_500} characters left out" in results[0]
    texts = [text.partition("]\n")[2].removesuffix("</data>") for text in results[1:4]]
    assert "".join(texts) == whole
    assert "there is no artifact 'feedface'" in results[4]
    ran = next(s.event for s in stage.world.log if isinstance(s.event, e.ToolRan))
    assert stage.world.log.get(ran.result).decode() == whole


FLOOD = "".join(f"line {n}\n" for n in range(2_300))


class Flood:
    """A tool that says a lot."""

    spec = ToolSpec(name="flood", description="", parameters={"type": "object", "properties": {}})

    def call(self, arguments: dict[str, Any], desk: Desk) -> str:
        return FLOOD


BLOCK = "It adds wrongly.\n```python\ndef good():\n    return 3\n```\n"


def test_by_blocks_a_model_is_offered_no_tool_and_shown_the_files() -> None:
    """The changed function is put in by name, and that ends the task."""
    stage = Stage(say(BLOCK), edits="blocks")
    artifact = stage.run()
    request = stage.requests[0]
    assert request.tools == ()
    assert SOURCE in request.messages[0].text
    assert "def test(): pass" in request.messages[0].text, "the file that the check names"
    assert "fenced blocks" in request.system
    assert (artifact.claim, artifact.note) == ("done", "changed src/a.py, by fenced blocks")
    assert stage.text() == SOURCE.replace("return 1", "return 3")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("I would change good().", "Send the changed functions"),
        ("```python\ndef nobody():\n    pass\n```", "stands in 0 files"),
        ("```python tests/test_a.py\ndef test(): assert True\n```", "tests/test_a.py"),
        ("```python src/a.py\ndef good():\n    return 3\nx = 1\n```", "leaves out other"),
        ("```python src/a.py\ndef good(:\n```", "src/a.py"),
        (f"```python src/a.py\n{SOURCE}```", "nothing changed"),
        ("```python ../out.py\nx = 1\n```", "../out.py"),
        ("```python\ndef good():\n    return 3\n", "not closed"),
    ],
)
def test_a_block_that_can_not_be_applied_comes_back_in_words(answer: str, words: str) -> None:
    """Nothing of the answer is done, also not a good block beside it."""
    both = (
        f"```python src/a.py\ndef other():\n    return 9\n```\n{answer}"
        if "```" in answer and "nothing" not in words
        else answer
    )
    stage = Stage(say(both), say(BLOCK), edits="blocks")
    stage.run()
    assert words in last_words(stage.requests[1])
    assert "return 9" not in stage.text()
    assert "return 3" in stage.text()


def test_a_file_with_one_function_keeps_what_stands_around_it() -> None:
    """The block has every function of the file, and is still put in by name."""
    w = world(accept=("src/a.py",), base={"src/a.py": "import math\nK = 2\n\ndef f(x):\n    return x\n"})
    stage = Stage(say("```python src/a.py\ndef f(x):\n    return x * K\n```"), w=w, edits="blocks")
    stage.run()
    assert stage.text() == "import math\nK = 2\n\ndef f(x):\n    return x * K\n"


def test_one_answer_with_many_wrong_calls_is_one_error() -> None:
    """The model has not seen the first yet."""
    wrong = use(("grep", {}), ("grep", {}), ("grep", {}), ids=("a", "b", "c"))
    stage = Stage(wrong, DONE)
    assert stage.run().claim == "done"


@pytest.mark.parametrize(
    "odd", [say("I can not help with that.", "refusal"), say("half a", "length"), Reply(stop="end")]
)
def test_a_summary_that_is_none_is_not_shown(odd: Reply) -> None:
    """A part of the turns themselves stands in its place."""
    stage = Stage(*_reads(4), odd, *_reads(5)[4:], DONE, session="summarizing:2")
    stage.run()
    opening = stage.requests[-1].messages[0].text
    assert "can not help" not in opening
    assert "half a" not in opening
    assert "assistant calls read" in opening


def test_a_new_file_may_be_sent_whole() -> None:
    """Where the goal allows it."""
    stage = Stage(say("```python src/b.py\nx = 1\n```"), edits="blocks")
    assert stage.run().claim == "done"
    assert stage.desk
    assert stage.desk.read("src/b.py") == b"x = 1\n"


def test_in_auto_a_model_that_only_sends_blocks_is_taken_at_its_word() -> None:
    """Tools were offered, none was used: the blocks are the change, and the end."""
    stage = Stage(say(BLOCK))
    assert stage.run().claim == "done"
    assert stage.requests[0].tools
    assert "return 3" in stage.text()


def test_in_auto_a_model_that_uses_tools_goes_on_after_a_block() -> None:
    """It will want to run the checks and report."""
    stage = Stage(use(("read", {"path": "src/a.py"})), say(BLOCK), DONE)
    stage.run()
    assert "changed src/a.py" in last_words(stage.requests[2])
    assert "return 3" in stage.text()


def test_by_tools_a_block_is_only_text() -> None:
    stage = Stage(say(BLOCK), DONE, edits="tools")
    assert stage.run().tree is None
    assert "No tool was used" in last_words(stage.requests[1])


def test_a_resumed_conversation_does_nothing_twice() -> None:
    """Replies and results come from the log, the tree is as it was left; only what is new is asked."""
    script = (use(("edit", EDIT)), use(("read", {"path": "src/a.py"}), ids=("r",)))

    def stop(request: Request) -> Reply:
        raise KeyboardInterrupt

    first = Stage(*script, stop)
    with pytest.raises(KeyboardInterrupt):
        first.run()
    resumed = State(first.world.log, first.world.clock)
    resumed.record(e.Resumed(agentloop="test", level="none"))
    second = Stage(DONE, w=first.world)
    artifact = second.run(resumed)
    assert (artifact.claim, len(second.requests)) == ("done", 1)
    assert "return 3" in second.text()
    assert second.requests[0] == first.requests[2]


def _reads(count: int) -> list[Reply]:
    return [use(("read", {"path": "src/a.py"}), ids=(f"r{n}",)) for n in range(count)]


def test_what_suspects_measured_stays_in_every_window() -> None:
    """A pinned answer is shown however many turns lie between; its call comes with it."""
    stage = Stage(use(("suspects", {}), ids=("m",)), *_reads(5), DONE, session="windowed:1")
    stage.run()
    shown = stage.requests[-1].messages
    assert [MEASURED in message.text for message in shown if message.call_id == "m"] == [True]
    assert len(shown) == 5


def test_a_windowed_session_shows_the_last_turns() -> None:
    stage = Stage(*_reads(5), DONE, session="windowed:2")
    stage.run()
    assert [call.id for m in stage.requests[5].messages for call in m.calls] == ["r3", "r4"]
    assert stage.requests[5].messages[0] == stage.requests[0].messages[0]


def test_a_summary_is_bought_once_and_stays_in_the_log() -> None:
    """Two turns after two: one summary, used for two requests."""
    script = [*_reads(4)[:4], say("NOTES ONE"), *_reads(5)[4:], DONE]
    stage = Stage(*script, session="summarizing:2")
    stage.run()
    asked = ["summary" if not request.tools else "turn" for request in stage.requests]
    assert asked == ["turn"] * 4 + ["summary", "turn", "turn"]
    assert all("NOTES ONE" in request.messages[0].text for request in stage.requests[5:])
    assert sum(isinstance(s.event, e.Replied) for s in stage.world.log) == len(script)


def test_what_is_relevant_is_shown_again() -> None:
    """By the words it shares with the task and the last turn."""
    replies = [use(("list", {"glob": f"{word}*"}), ids=(word,)) for word in ("zebra", "mend", "yak", "xylo", "wasp")]
    stage = Stage(*replies, DONE, session="relevant:1")
    stage.run()
    ids = [call.id for m in stage.requests[5].messages for call in m.calls]
    assert ids == ["mend", "xylo", "wasp"]


def test_what_is_close_in_meaning_is_shown_again_and_paid_for() -> None:
    """Each text is embedded once, through the teller, so that it is on record."""

    def embed(request: Request) -> Reply:
        text = request.messages[0].text
        return Reply(text=json.dumps([1.0, 0.0] if "mend" in text else [0.0, 1.0]), stop="end")

    w = world(accept=("src/a.py",), base=FILES)
    embedder = Teller(w.state, "embedder", (FakeModel(*[embed] * 20),), lambda call: call())
    replies = [use(("list", {"glob": f"{word}*"}), ids=(word,)) for word in ("zebra", "mend", "yak", "xylo", "wasp")]
    stage = Stage(*replies, DONE, w=w, session="semantic:1", rank=lambda task: by_meaning(embedder, task))
    stage.run()
    ids = [call.id for m in stage.requests[5].messages for call in m.calls]
    assert ids == ["mend", "xylo", "wasp"]
    assert w.state.folded.purse.roles["embedder"].calls == 5, "three earlier turns, and two questions"


def test_the_models_window_is_kept() -> None:
    stage = Stage(*_reads(5), DONE, window=1_000)
    stage.run()
    assert sum(len(m.text) for m in stage.requests[5].messages) < 1_000
    assert stage.requests[5].messages[0] == stage.requests[0].messages[0]


def test_messages_are_what_a_service_takes() -> None:
    """User first, each call answered, no two turns of the assistant in a row."""
    stage = Stage(say("hm"), use(("read", {"path": "src/a.py"})), Reply(stop="end"), DONE)
    stage.run()
    roles = [message.role for message in stage.requests[-1].messages]
    assert roles == ["user", "assistant", "user", "assistant", "tool"]
    assert isinstance(stage.requests[-1].messages[-1], Message)
