"""A language model that is watched: what was asked of it, how long it took, what came."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from context.budget import ExactTokenizer
from context.ports import ChatMessage, LanguageModel
from worker.clock import monotonic_s


@dataclass(slots=True)
class Call:
    """One request."""

    purpose: str
    repair: bool = False
    first_s: float | None = None
    """Until the first piece of a stream."""
    took_s: float = 0.0
    text: str = ""


class Watched:
    """Passes everything on to another model."""

    def __init__(self, model: LanguageModel, transcript: Path) -> None:
        """`transcript`: where everything that it writes is kept to be read, a JSON object a line."""
        self.name = model.name
        self._transcript = transcript
        self.calls: list[Call] = []
        self._model = model
        self._count = ExactTokenizer().count

    @property
    def streams(self) -> list[Call]:
        """Answers."""
        return [call for call in self.calls if call.purpose == "answer"]

    @property
    def structured_calls(self) -> list[Call]:
        """Those for JSON."""
        return [call for call in self.calls if call.purpose != "answer"]

    @property
    def written(self) -> int:
        """Tokens that came, counted as o200k: the small model's own are some more."""
        return sum(self._count(call.text) for call in self.calls)

    def purposes(self) -> Counter[str]:
        """How often JSON was asked for, by what for."""
        return Counter(call.purpose for call in self.structured_calls if not call.repair)

    def tokens_per_s(self) -> float:
        """Of the streams, from their first piece on."""
        told = [(call, call.took_s - call.first_s) for call in self.streams if call.first_s is not None]
        seconds = sum(seconds for _, seconds in told)
        return sum(self._count(call.text) for call, _ in told) / seconds if seconds else 0.0

    async def until_it_writes(self, *, at_once: bool = False) -> None:
        """Until a stream has begun to write; `at_once`: until one is wanted."""
        while not self.streams or (self.streams[-1].first_s is None and not at_once):
            await asyncio.sleep(0.01)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """As the port."""
        call, began_s = Call(name), monotonic_s()
        self.calls.append(call)
        try:
            async for piece in self._model.stream(messages, max_tokens=max_tokens, name=name):
                if call.first_s is None:
                    call.first_s = monotonic_s() - began_s
                call.text += piece
                yield piece
        finally:
            call.took_s = monotonic_s() - began_s
            self._told(call, messages)

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """As the port."""
        repair = messages[-1].content.startswith("That was not valid")
        call, began_s = Call(name, repair=repair), monotonic_s()
        self.calls.append(call)
        try:
            call.text = await self._model.structured(
                messages, schema=schema, name=name, max_tokens=max_tokens
            )
        finally:
            call.took_s = monotonic_s() - began_s
            self._told(call, messages)
        return call.text

    def _told(self, call: Call, messages: Sequence[ChatMessage]) -> None:
        print(
            f"  {call.purpose}: {self._count(call.text)} tokens in {call.took_s:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        asked = [message.content for message in messages]
        with self._transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(call) | {"asked": asked}, ensure_ascii=False) + "\n")
