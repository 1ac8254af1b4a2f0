"""How long a prompt is to a model of CLOVA Studio: our bound first, the token calculator where it decides.

The calculator is a request of its own, so it is asked only where the bound says "too long"; its counts
are kept (they never change). Every answer brings the true count of its prompt: should it ever
lie above our bound, the bound is raised from then on.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import structlog

from context.budget import MESSAGE_TOKENS, ClovaTokenizer
from context.ports import ChatMessage, Unavailable
from worker.adapters.clova_models import ClovaModel
from worker.adapters.clova_wire import ClovaWire

log = structlog.get_logger(__name__)

_KEPT: Final = 256
"""Counts that are remembered."""
_MOST_RAISED: Final = 4.0
"""A server's slip must not make every prompt look too long."""


class PromptTokens:
    """Counts the prompts of one model."""

    def __init__(self, model: ClovaModel, wire: ClovaWire) -> None:
        self._model, self._wire = model, wire
        self._bound = ClovaTokenizer()
        self._raised = 1.0
        self._known: OrderedDict[bytes, int] = OrderedDict()

    def at_most(self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None = None) -> int:
        """More than the prompt has, without asking anybody."""
        texts = [message.content for message in messages]
        if schema is not None:
            texts.append(json.dumps(schema, ensure_ascii=False))
        total = sum(self._bound.count(text) + MESSAGE_TOKENS for text in texts)
        return math.ceil(total * self._raised)

    async def exactly(self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None = None) -> int:
        """What the token calculator says. Raises as the port."""
        told = json.dumps([[(m.role, m.content) for m in messages], schema], ensure_ascii=False)
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        body: dict[str, Any] = {"messages": [message.model_dump() for message in messages]}
        if schema is not None:
            body["responseFormat"] = {"type": "json", "schema": schema}
        count = _sum(await self._wire.post(self._model.tokens_path, body, self._model.name))
        if count <= 0:
            raise Unavailable(f"the token calculator of {self._model.name} sent no counts")
        self._known[key] = count
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return count

    def learn(
        self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None, prompt_tokens: int
    ) -> None:
        """A prompt has turned out to have `prompt_tokens`."""
        bound = self.at_most(messages, schema)
        if prompt_tokens > bound > 0:
            self._raised = min(_MOST_RAISED, self._raised * prompt_tokens / bound)
            log.warning(
                "clova_tokens_undercounted",
                model=self._model.name,
                counted=bound,
                true=prompt_tokens,
                factor=round(self._raised, 3),
            )


def _sum(result: Any) -> int:
    """Every `count` of the reply: they stand at messages, at their parts, at tools and at the schema."""
    if isinstance(result, dict):
        own = result.get("count")
        inner = sum(_sum(value) for key, value in result.items() if key != "count")
        return inner + (own if isinstance(own, int) and own > 0 else 0)
    if isinstance(result, list):
        return sum(_sum(item) for item in result)
    return 0
