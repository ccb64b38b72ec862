"""An embeddings model behind OpenAI's protocol, asked like any other model: the texts are the messages of the request,
the reply's text is the JSON of their vectors. So it is paid, recorded and played back like all calls."""

from __future__ import annotations

import json
from functools import cached_property

import openai

from agentloop.core.chat import Reply, Request
from agentloop.core.goal import ModelSpec
from agentloop.core.usage import Price
from agentloop.ports import Pulse, unwatched
from agentloop.providers.endpoint import Endpoint
from agentloop.providers.exchange import exchange, limits, unusable
from agentloop.providers.lacking import noticed
from agentloop.providers.prices import price_for
from agentloop.providers.tokens import count, upper_bound, usage_of
from agentloop.providers.turns import objects, text


class OpenAIEmbeddings:
    """One embeddings model. Safe to use from several threads."""

    def __init__(self, spec: ModelSpec, endpoint: Endpoint) -> None:
        self.spec = spec
        self.endpoint = endpoint

    @property
    def name(self) -> str:
        """``openai:model``."""
        return self.spec.model

    @cached_property
    def price(self) -> Price | None:
        """The price that the goal states, else nothing for a server on this machine, else the table's."""
        return price_for(self.spec, self.endpoint)

    def bound(self, request: Request) -> int:
        """An upper bound of the request's input tokens."""
        return upper_bound(request)

    def count(self, request: Request) -> int | None:
        """There is no endpoint that counts for these models."""
        return None

    def ask(self, request: Request, pulse: Pulse = unwatched, seconds: float | None = None) -> Reply:
        """The vectors of the messages' texts, as the JSON of a list (of one vector where there is one text). Raises
        ModelError."""
        limit = min(self.spec.timeout, seconds or self.spec.timeout)
        texts = [message.text for message in request.messages]

        def sdk(client: object) -> openai.OpenAI:
            return openai.OpenAI(
                base_url=self.endpoint.base_url,
                api_key=self.endpoint.key,
                max_retries=0,
                timeout=limits(limit),
                http_client=client,  # type: ignore[arg-type]
            )

        answer = exchange(
            lambda client: sdk(client).embeddings.with_raw_response.create(
                model=self.spec.name, input=texts, encoding_format="float"
            ),
            self.endpoint,
            limit,
            (openai.APIError,),
        )
        vectors = [item.get("embedding") for item in objects(answer.body.get("data"))]
        if len(vectors) != len(texts) or not all(map(_is_vector, vectors)):
            raise unusable("it does not hold one vector for each text")
        usage = answer.body.get("usage")
        total = count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None
        reply = Reply(
            text=json.dumps(vectors[0] if len(vectors) == 1 else vectors),
            usage=usage_of(request, total, None, None, 0),
            stop="end",
            model=text(answer.body.get("model")),
        )
        return reply.model_copy(update={"noticed": noticed(answer.body, (), reply, self.spec.name)})


def _is_vector(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, (int, float)) for part in value)
