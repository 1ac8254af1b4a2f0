"""A language model whose calls are counted: how long each took, and why it gave nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

from context.ports import ChatMessage, LanguageModel, PortError, Refused
from worker.clock import monotonic_s
from worker.monitoring.metrics import Metrics


class MeteredModel:
    """A `LanguageModel` around another one."""

    def __init__(self, model: LanguageModel, metrics: Metrics) -> None:
        self.name = model.name
        self._model, self._metrics = model, metrics

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncGenerator[str]:
        """As the port."""
        began_s = self._began(name)
        pieces = cast("Any", self._model.stream(messages, max_tokens=max_tokens, name=name))
        try:
            # The port's iterator is an async generator: closing it ends the request.
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except PortError as error:
            self._failed(error)
            raise
        self._metrics.llm_done(name, monotonic_s() - began_s)

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """As the port."""
        began_s = self._began(name)
        try:
            text = await self._model.structured(messages, schema=schema, name=name, max_tokens=max_tokens)
        except PortError as error:
            self._failed(error)
            raise
        self._metrics.llm_done(name, monotonic_s() - began_s)
        return text

    def _began(self, purpose: str) -> float:
        self._metrics.llm_called(purpose)
        return monotonic_s()

    def _failed(self, error: PortError) -> None:
        self._metrics.llm_error("refused" if isinstance(error, Refused) else "unavailable")
