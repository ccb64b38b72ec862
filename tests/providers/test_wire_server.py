"""The scripted server itself: what other tests rest on."""

from __future__ import annotations

from typing import Any

import pytest

from agentloop.core.chat import Message, Request
from agentloop.ports import Model, ModelError
from tests.wire import WireReply, WireServer, openai_reply

HELLO = Request(system="", messages=(Message(role="user", text="hi"),))


def test_pushed_replies_come_first_and_then_the_script_answers(wire: WireServer, openai_model: Model) -> None:
    """The script is shown what was sent; each request is logged."""

    def parrot(body: dict[str, Any]) -> WireReply:
        return openai_reply(f"you said {body['messages'][-1]['content']}")

    wire.script = parrot
    wire.push(openai_reply("first"), lambda body: openai_reply(body["model"]))
    assert [openai_model.ask(HELLO).text for _ in range(3)] == ["first", "m", "you said hi"]
    assert len(wire.log) == 3


def test_an_empty_script_is_an_error_that_says_so(wire: WireServer, openai_model: Model) -> None:
    """A test that asks once too often fails at once and not after retries."""
    with pytest.raises(ModelError, match="no reply left for request 1") as caught:
        openai_model.ask(HELLO)
    assert not caught.value.retryable
