"""The one retry layer around a language model, and its breaker.

A call that fails in a way that may pass is tried once more, at once, unless the server asks for a longer
wait than anybody here has. Deadlines stay with the caller, who says `gave_up` when one has run out: from
inside, a call that is cut off looks the same as one whose question was withdrawn. Whether a reply is of any
use only its reader knows, who says `checked`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final, cast

import structlog

from context.ports import ChatMessage, CutOff, LanguageModel, PortError, Refused, Unavailable
from worker.agent.breaker import Breaker
from worker.agent.usefulness import ReplyListener, Usefulness
from worker.monitoring.labels import Check, Missed

log = structlog.get_logger(__name__)

_TROUBLED: Final = 2
"""Failures in a row, of whatever kind, that are said to whoever watches."""
RETRY_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 2.0
"""A server that wants more than this is not waited for, and not asked again before."""


class Resting(Unavailable):
    """The model is left alone for a while."""


class CalledModel:
    """A `LanguageModel` with one quick retry and a breaker before it. Raises as the port does."""

    def __init__(
        self, model: LanguageModel, breaker: Breaker | None = None, listener: ReplyListener | None = None
    ) -> None:
        self.name = model.name
        self._model = model
        self.breaker = breaker or Breaker()
        self._listener = listener or ReplyListener()
        self._usefulness = Usefulness(self._listener)
        self._failures, self._last_error = 0, ""

    @property
    def is_resting(self) -> bool:
        """True while the breaker lets nothing through: don't even build a prompt."""
        return self.breaker.is_open

    @property
    def trouble(self) -> str:
        """What is wrong with it, in one line; empty where it works, as far as is known."""
        if self.is_resting:
            return f"{self.name} rests after failures ({self._last_error or 'no answer'})"
        if self._failures >= _TROUBLED:
            return f"{self.name} fails ({self._last_error})"
        useless = self._usefulness.trouble
        return f"{self.name}: {useless}" if useless else ""

    def gave_up(self, purpose: str = "answer") -> None:
        """The caller's deadline passed before the model was done."""
        self._failures, self._last_error = self._failures + 1, "late"
        self.breaker.failed()
        self.missed(purpose, "late")

    def checked(self, purpose: str, check: Check, *, passed: bool) -> None:
        """How a reply fared in a check by whoever read it."""
        self._usefulness.checked(purpose, check, passed=passed)

    def repaired(self, purpose: str, *, well: bool) -> None:
        """A reply was sent back, and whether what came then was what was wanted."""
        self._listener.repaired(purpose, well)

    def missed(self, purpose: str, why: Missed) -> None:
        """A piece of work is done without this model. What the port raises is told here by itself."""
        self._listener.missed(purpose, why)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """As the port; retried only while nothing has come yet."""
        try:
            async with aclosing(self._streamed(messages, max_tokens, name)) as pieces:
                async for piece in pieces:
                    yield piece
        except PortError as error:
            self._raised(name, error)
            raise

    async def _streamed(
        self, messages: Sequence[ChatMessage], max_tokens: int, name: str
    ) -> AsyncGenerator[str]:
        for last_try in (False, True):
            self._admit()
            begun = False
            pieces = self._model.stream(messages, max_tokens=max_tokens, name=name)
            try:
                # The port's iterator is an async generator: closing it ends the request.
                async with aclosing(cast("Any", pieces)):
                    async for piece in pieces:
                        begun = True
                        yield piece
            except CutOff:
                self._succeeded()
                raise
            except PortError as error:
                self._failed(error)
                if not isinstance(error, Unavailable):
                    raise
                if begun or last_try:
                    raise
                await self._pause(error)
            else:
                self._succeeded()
                return

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """As the port."""
        try:
            return await self._whole(messages, schema, name, max_tokens)
        except PortError as error:
            self._raised(name, error)
            raise

    async def _whole(
        self, messages: Sequence[ChatMessage], schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        for last_try in (False, True):
            self._admit()
            try:
                text = await self._model.structured(messages, schema=schema, name=name, max_tokens=max_tokens)
            except PortError as error:
                self._failed(error)
                if not isinstance(error, Unavailable):
                    raise
                if last_try:
                    raise
                await self._pause(error)
            else:
                self._succeeded()
                return text
        raise AssertionError("the last try returns or raises")

    def _failed(self, error: PortError) -> None:
        """What may pass opens the breaker; what is refused does not, and is trouble all the same."""
        # Without what the server said: it is shown where no key is asked for.
        self._failures, self._last_error = self._failures + 1, str(error).partition(":")[0]
        if isinstance(error, Unavailable):
            self.breaker.failed()
            if (wait_s := error.retry_after_s or 0.0) > LONGEST_PAUSE_S:
                self.breaker.rest(wait_s)

    def _raised(self, purpose: str, error: PortError) -> None:
        if isinstance(error, CutOff):
            return  # it has said something
        resting = isinstance(error, Resting)
        self.missed(
            purpose,
            "resting" if resting else "refused" if isinstance(error, Refused) else "unavailable",
        )

    def _succeeded(self) -> None:
        self._failures = 0
        self.breaker.succeeded()

    def _admit(self) -> None:
        if not self.breaker.admit():
            raise Resting(f"{self.name} failed repeatedly and is left alone for a while")

    async def _pause(self, error: Unavailable) -> None:
        pause_s = max(RETRY_PAUSE_S, error.retry_after_s or 0.0)
        if pause_s > LONGEST_PAUSE_S or self.breaker.is_open:
            raise error
        log.info("llm_retry", model=self.name, error=str(error), pause_s=pause_s)
        await asyncio.sleep(pause_s)
