"""Which earlier turns of a conversation matter now: by the words they share (BM25), or by a model's embeddings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec

from agentloop.core.chat import Message, Request
from agentloop.core.session import Rank
from agentloop.roles.teller import Teller

TEXT = 8_000
"""Characters of one text that is embedded."""


def available() -> bool:
    """Whether the package for `relevant` sessions is installed."""
    return find_spec("bm25s") is not None


def by_words(question: str, texts: Sequence[str]) -> Sequence[int]:
    """The numbers of `texts`, best first, by BM25 (Robertson and Zaragoza 2009, as bm25s computes it); equal scores
    go to the later text."""
    bm25s = import_module("bm25s")  # late: an extra, and it loads numpy
    index = bm25s.BM25()
    # Names in code are words too: split at everything but letters and digits.
    pattern = r"(?u)[A-Za-z0-9]{2,}"
    corpus = bm25s.tokenize([text or "-" for text in texts], token_pattern=pattern, stopwords=[], show_progress=False)
    if not corpus.vocab:
        return list(range(len(texts)))[::-1]
    index.index(corpus, show_progress=False)
    asked = bm25s.tokenize([question], token_pattern=pattern, stopwords=[], show_progress=False, return_ids=False)
    scores = [float(score) for score in index.get_scores(asked[0])]
    return _ordered(scores)


def by_meaning(teller: Teller, task: str) -> Rank:
    """Ranks by the cosine of embeddings that `teller` asks for and pays, one text a call, each text once."""
    known: dict[str, list[float]] = {}

    def vector(text: str) -> list[float]:
        if text not in known:
            request = Request(system="", messages=(Message(role="user", text=text[:TEXT] or "-"),), max_output=0)
            known[text] = json.loads(teller.ask(request, task).text)
        return known[text]

    def rank(question: str, texts: Sequence[str]) -> Sequence[int]:
        asked = vector(question[-TEXT:])
        return _ordered([_cosine(asked, vector(text)) for text in texts])

    return rank


def _ordered(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda number: (-scores[number], -number))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) != len(other):
        return 0.0  # of two models: nothing can be said
    norm = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / norm if norm else 0.0


RankFor = Callable[[str], Rank]
"""A task's id → how its conversation ranks earlier turns."""
