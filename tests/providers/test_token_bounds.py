"""The bound that budgets rest on, and what keeps keys and written calls apart from text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.chat import Message, Request, ToolCall, ToolSpec
from agentloop.providers.redaction import redact
from agentloop.providers.tokens import upper_bound
from agentloop.providers.written_calls import written_calls

TEXT = st.text(max_size=60)
JSON = st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT, max_size=3), max_size=4)
CALL = st.builds(ToolCall, id=TEXT, name=TEXT, arguments=TEXT)
MESSAGE = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool"]),
    text=TEXT,
    calls=st.lists(CALL, max_size=3).map(tuple),
    call_id=TEXT,
    raw=st.none() | JSON,
)
TOOL = st.builds(ToolSpec, name=TEXT, description=TEXT, parameters=JSON)
REQUEST = st.builds(
    Request,
    system=TEXT,
    messages=st.lists(MESSAGE, max_size=4).map(tuple),
    tools=st.lists(TOOL, max_size=3).map(tuple),
    output_schema=st.none() | JSON,
)
READ = ToolSpec(name="read", description="", parameters={})


@given(REQUEST, MESSAGE)
def test_the_bound_is_at_least_every_byte_that_is_sent_and_grows_with_it(request: Request, more: Message) -> None:
    """No tokeniser makes more tokens than bytes; a longer conversation never has a lower bound."""
    texts = [request.system, *(m.text + m.call_id for m in request.messages)]
    texts += [c.id + c.name + c.arguments for m in request.messages for c in m.calls]
    structures = [t.parameters for t in request.tools] + [request.output_schema or {}]
    sent = sum(len(t.encode()) for t in texts) + sum(
        len(json.dumps(s, ensure_ascii=False).encode()) for s in structures
    )
    bound = upper_bound(request)
    assert bound > sent
    longer = request.model_copy(update={"messages": (*request.messages, more)})
    assert upper_bound(longer) >= bound + len(more.text.encode())


@given(
    st.text(),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6).filter(
        lambda k: "[key]" not in k and k not in "[key]…"
    ),
    st.text(),
)
def test_a_key_never_survives_redaction(before: str, key: str, after: str) -> None:
    """Wherever it stands, whatever it looks like."""
    assert key not in redact(before + key + after, key)


@given(
    st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.integers(), max_size=4), st.sampled_from([0, 1, 2])
)
def test_a_written_call_is_found_in_every_usual_form(arguments: dict[str, object], form: int) -> None:
    """Bare, fenced and tagged."""
    call = json.dumps({"name": "read", "arguments": arguments})
    text = (call, f"I look:\n```json\n{call}\n```\n", f"I look:\n<tool_call>\n{call}\n</tool_call>")[form]
    rest, calls = written_calls(text, [READ], "c")
    assert rest == ("" if form == 0 else "I look:")
    assert [(c.id, c.name, json.loads(c.arguments)) for c in calls] == [("c0", "read", arguments)]


@given(
    st.text() | st.sampled_from(['{"name": "rm", "arguments": {}}', '{"name": "read"}', "```\n[1]\n```", '{"name": 1}'])
)
def test_other_text_stays_text(text: str) -> None:
    """A tool that was not offered, or no arguments: nothing is done that was not asked for."""
    assert written_calls(text, [READ], "c") == (text, ())
