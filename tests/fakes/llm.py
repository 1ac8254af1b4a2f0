"""A language model that follows a script: what to say, when to fail, when to hang."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from context.ports import ChatMessage

Step = str | Exception | float | type["Hang"]
"""Say this piece, raise this, wait so many seconds, or never go on."""


class Hang:
    """The server has the request and says nothing, ever."""


class ScriptedModel:
    """A `LanguageModel`. Each call takes the next script; the last one repeats for ever."""

    def __init__(self, *scripts: Sequence[Step], name: str = "scripted") -> None:
        self.name = name
        self._scripts = list(scripts)
        self.calls: list[list[ChatMessage]] = []
        self.schemas: list[dict[str, Any]] = []
        self.limits: list[int] = []
        """How many tokens each call may write."""
        self.closed = 0
        """Calls that were closed or cancelled before their script was through."""

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        self.limits.append(max_tokens)
        async with aclosing(self._play(messages)) as pieces:
            async for piece in pieces:
                yield piece

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        self.schemas.append(schema)
        self.limits.append(max_tokens)
        return "".join([piece async for piece in self._play(messages)])

    async def _play(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        self.calls.append(list(messages))
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        try:
            for step in script:
                if isinstance(step, str):
                    yield step
                elif isinstance(step, Exception):
                    raise step
                elif isinstance(step, (int, float)):
                    await asyncio.sleep(step)
                else:
                    await asyncio.Event().wait()
        except (asyncio.CancelledError, GeneratorExit):
            self.closed += 1
            raise


def letters(text: str) -> list[Step]:
    """A script that says `text` one character at a time."""
    return list(text)
