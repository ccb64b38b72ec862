"""A model behind a program: what it is given, what it may answer, and every way in which it can fail."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from agentloop.core.chat import Message, Request, ToolCall, ToolSpec
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price, Usage
from agentloop.errors import Refused
from agentloop.ports import Model, ModelError
from agentloop.providers import load
from agentloop.providers.means import Means

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
TOOL = ToolSpec(name="read", description="reads", parameters={"type": "object", "properties": {}})
ASK = Request(
    system="be short",
    messages=(
        Message(role="user", text="look"),
        Message(role="assistant", text="", calls=(ToolCall(id="c1", name="read", arguments='{"path": "a"}'),)),
        Message(role="tool", call_id="c1", text="data"),
    ),
    tools=(TOOL,),
    max_output=99,
)


@pytest.fixture
def program(tmp_path: Path) -> Any:
    """Builds a model whose program is this shell script; what it was given lies in `question.json`."""

    def build(script: str, **spec: Any) -> Model:
        (tmp_path / "model.sh").write_text(f"cat > question.json\n{script}\n")
        values = {"model": "command:mine", "argv": ("sh", "model.sh"), "timeout": 20.0, **spec}
        return load(ModelSpec(**values), Means(PATH, str(tmp_path)))

    return build


def answer(**value: Any) -> str:
    """A script that prints this object."""
    return f"cat <<'END'\n{json.dumps(value)}\nEND"


def test_the_program_is_given_the_whole_request(program: Any, tmp_path: Path) -> None:
    """Under the documented names; what is empty and no text is left out of a message."""
    program(answer(text="ok", stop="end", usage={"input": 3, "output": 1})).ask(ASK)
    assert json.loads((tmp_path / "question.json").read_text()) == {
        "model": "mine",
        "system": "be short",
        "messages": [
            {"role": "user", "text": "look"},
            {"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "read", "arguments": '{"path": "a"}'}]},
            {"role": "tool", "text": "data", "call_id": "c1"},
        ],
        "tools": [{"name": "read", "description": "reads", "parameters": {"type": "object", "properties": {}}}],
        "max_output": 99,
    }


def test_schema_and_temperature_are_told_where_wanted(program: Any, tmp_path: Path) -> None:
    """And only there."""
    more = ASK.model_copy(update={"output_schema": {"type": "object"}, "temperature": 0.5})
    program(answer(text="{}", stop="end")).ask(more)
    given = json.loads((tmp_path / "question.json").read_text())
    assert (given["schema"], given["temperature"]) == ({"type": "object"}, 0.5)


def test_text_calls_usage_and_stop_come_back(program: Any) -> None:
    """Arguments may be an object or its JSON; a call without an id gets one."""
    calls = [{"id": "x", "name": "read", "arguments": {"path": "a"}}, {"name": "read", "arguments": '{"path": "b"}'}]
    usage = {"input": 9, "output": 2, "cached": 4}
    reply = program(answer(text="hm", tool_calls=calls, usage=usage, stop="tool")).ask(ASK)
    assert (reply.text, reply.stop, reply.noticed) == ("hm", "tool", ())
    assert [(call.id, json.loads(call.arguments)) for call in reply.calls] == [
        ("x", {"path": "a"}),
        ("call_1", {"path": "b"}),
    ]
    assert reply.usage == Usage(uncached=5, cached=4, output=2)


def test_without_usage_it_is_estimated_from_bytes_and_marked_so(program: Any, tmp_path: Path) -> None:
    """Never nothing, and never more than was reserved."""
    model = program(answer(text="ok", stop="end"))
    reply = model.ask(ASK)
    asked = (tmp_path / "question.json").stat().st_size
    assert reply.usage == Usage(uncached=asked, output=len('{"text": "ok", "stop": "end"}\n'), estimated=True)
    assert reply.usage.uncached <= model.bound(ASK)
    assert "estimated" in reply.noticed[0]


@pytest.mark.parametrize("stop", [None, "stop", "END", 3])
def test_a_missing_or_unknown_stop_is_no_end(program: Any, stop: Any) -> None:
    """It is noticed, and what came is not acted on."""
    reply = program(answer(text="ok", stop=stop, usage={"input": 1, "output": 1})).ask(ASK)
    assert reply.stop == "unknown"
    assert repr(stop) in reply.noticed[0]


def test_a_call_written_into_the_text_is_a_call(program: Any) -> None:
    """Command-line models often can't do it otherwise."""
    text = 'I look.\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```'
    reply = program(answer(text=text, stop="end", usage={"input": 1, "output": 1})).ask(ASK)
    assert [call.name for call in reply.calls] == ["read"]
    assert reply.stop == "tool"


@pytest.mark.parametrize(
    ("script", "said", "retryable", "billed"),
    [
        ("echo no luck >&2; exit 1", "exit code 1: no luck", False, True),
        ("echo busy >&2; exit 75", "exit code 75: busy", True, True),
        ("echo bad key >&2; exit 77", "exit code 77: bad key", False, True),
        ("exec no-such-program", "exit code 127", False, False),
        ("kill -9 $$", "signal 9", False, True),
        ("exit 3", "nothing on stderr", False, True),
        ("echo key sk-abcdef123456 >&2; exit 1", "[key]", False, True),
        ("echo plain words", "printed no JSON object: 'plain words", True, True),
        ("echo '[1]'", "printed no JSON object", True, True),
        ("true", "printed no JSON object: ''", True, True),
    ],
)
def test_every_failure_is_said_in_words(program: Any, script: str, said: str, retryable: bool, billed: bool) -> None:
    """With whether another try may help, and without anything that looks like a key."""
    with pytest.raises(ModelError) as caught:
        program(script).ask(ASK)
    assert said in caught.value.reason
    assert "sk-abc" not in caught.value.reason
    assert (caught.value.retryable, caught.value.billed) == (retryable, billed)


def test_a_program_that_hangs_is_ended_with_its_children(program: Any, tmp_path: Path) -> None:
    """At the model's own limit, or at what is left of the run's minutes."""
    model = program("sleep 30 & echo $! > child; wait", timeout=15.0)
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"no answer within 2 s"):
        model.ask(ASK, seconds=2.0)
    assert time.monotonic() - started < 10
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while _state(child) != "Z" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _state(child) == "Z"


def _state(pid: int) -> str:
    """The letter of a process's state; Z where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return "Z"


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    """And not tried again."""
    model = load(ModelSpec(model="command:no-such-program-here"), Means(PATH, str(tmp_path)))
    with pytest.raises(ModelError, match="no-such-program-here: No such file") as caught:
        model.ask(ASK)
    assert not caught.value.retryable


def test_the_name_is_the_program_where_argv_is_not_given(tmp_path: Path) -> None:
    """Split like a shell does; a path is one beside the goal file."""
    script = tmp_path / "my model.sh"
    script.write_text('#!/bin/sh\ncat > /dev/null\necho \'{"text": "\'$1\'", "stop": "end"}\'\n')
    script.chmod(0o755)
    model = load(ModelSpec(model="command:'./my model.sh' hello"), Means(PATH, str(tmp_path)))
    assert model.ask(ASK).text == "hello"
    with pytest.raises(Refused, match="argv"):
        load(ModelSpec(model="command:'open"), Means(PATH))
    with pytest.raises(Refused, match="argv"):
        load(ModelSpec(model="openai:m", argv=("x",)), Means({"OPENAI_API_KEY": "k"}))


def test_only_a_stated_price_is_known(program: Any) -> None:
    """Nobody else can tell what a program costs."""
    assert program("true").price is None
    assert program("true", price=Price(input=1, output=2)).price == Price(input=1, output=2)
