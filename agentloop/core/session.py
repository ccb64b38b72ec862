"""Which turns of a conversation a model is shown. The first message (the task) and pinned ones always stay.

A conversation is its opening and then exchanges: what the model said, and what it was answered. A strategy picks
exchanges and never cuts one, because services refuse a result without its call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from agentloop.core.chat import Message

Strategy = Literal["full", "windowed", "summarizing", "relevant", "semantic"]
LATEST = 2
"""Exchanges at the end that `relevant` and `semantic` keep whatever they are about."""

_WRITTEN = re.compile(r"(full)|(windowed|summarizing|relevant|semantic):([1-9]\d{0,2})")

Exchange = tuple[Message, ...]
Summarise = Callable[[str, Sequence[Exchange]], str]
"""The summary so far and the exchanges that follow it → the summary of both."""
Rank = Callable[[str, Sequence[str]], Sequence[int]]
"""A question and texts → the numbers of the texts, the most relevant first."""


@dataclass(frozen=True)
class Session:
    """A strategy and its number: of exchanges kept (`windowed`), between two summaries (`summarizing`), or recalled
    beside the latest ones (`relevant`, `semantic`)."""

    strategy: Strategy = "full"
    size: int = 0

    @classmethod
    def parse(cls, text: str) -> Session | None:
        """``full`` or ``strategy:N``; None for anything else."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            return None
        return cls() if found[1] else cls(found[2], int(found[3]))  # type: ignore[arg-type]


def shown(
    messages: Sequence[Message], session: Session, summarise: Summarise, rank: Rank, limit: int
) -> tuple[Message, ...]:
    """The messages of the next request: what `session` picks, and of that no more than `limit` characters, the
    oldest exchanges going first. The same messages give the same result."""
    opening, exchanges = split(messages)
    total = len(exchanges)
    match session.strategy:
        case "full":
            kept = list(range(total))
        case "windowed":
            kept = list(range(max(0, total - session.size), total))
        case "summarizing":
            cut = max(0, total // session.size - 1) * session.size
            kept = list(range(cut, total))
            opening = _told(opening, _summary(exchanges[:cut], session.size, summarise))
        case "relevant" | "semantic":
            kept = _recalled(opening, exchanges, session.size, rank)
    pinned = {number for number, exchange in enumerate(exchanges) if any(message.pinned for message in exchange)}
    chosen = sorted(set(kept) | pinned)
    left = limit - sum(map(size, opening))
    for number in list(chosen[:-1]):
        if sum(_length(exchanges[n]) for n in chosen) <= left:
            break
        if number not in pinned:
            chosen.remove(number)
    return (*opening, *(message for number in chosen for message in exchanges[number]))


def split(messages: Sequence[Message]) -> tuple[list[Message], list[Exchange]]:
    """The opening, and the exchanges that follow it."""
    opening: list[Message] = []
    exchanges: list[list[Message]] = []
    for message in messages:
        if message.role == "assistant":
            exchanges.append([message])
        elif exchanges:
            exchanges[-1].append(message)
        else:
            opening.append(message)
    return opening, [tuple(exchange) for exchange in exchanges]


def plain(exchange: Exchange) -> str:
    """An exchange as text."""
    lines = []
    for message in exchange:
        lines += [f"{message.role}: {message.text}"] if message.text else []
        lines += [f"{message.role} calls {call.name} {call.arguments}" for call in message.calls]
    return "\n".join(lines)


def size(message: Message) -> int:
    """Characters of a message, with the names and arguments of its calls."""
    return len(message.text) + sum(len(call.name) + len(call.arguments) for call in message.calls)


def _length(exchange: Exchange) -> int:
    return sum(map(size, exchange))


def _summary(exchanges: Sequence[Exchange], step: int, summarise: Summarise) -> str:
    """Made step by step, so that each call's input is bounded and an earlier summary never changes."""
    text = ""
    for start in range(0, len(exchanges), step):
        text = summarise(text, exchanges[start : start + step])
    return text


def _told(opening: list[Message], summary: str) -> list[Message]:
    if not summary or not opening:
        return opening
    last = opening[-1]
    text = f"{last.text}\n\n# What you did so far, in short\n{summary}"
    return [*opening[:-1], last.model_copy(update={"text": text})]


def _recalled(opening: list[Message], exchanges: list[Exchange], count: int, rank: Rank) -> list[int]:
    """The latest exchanges, and of the earlier ones those closest to the task and to the last exchange."""
    early = exchanges[:-LATEST]
    latest = list(range(len(early), len(exchanges)))
    if len(early) <= count:
        return [*range(len(early)), *latest]
    question = "\n".join([*(message.text for message in opening), *(plain(exchange) for exchange in exchanges[-1:])])
    return sorted(rank(question, [plain(exchange) for exchange in early])[:count]) + latest
