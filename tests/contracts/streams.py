"""The streams around one meeting, and what programs write to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from tests.fakes.bus import FakeBus
from worker.adapters.redis_bus import InputEntry, RedisBus
from worker.messages import SegmentMessage

MEETING = "m-테스트 {*}:\n🚀"
"""Any id must do."""


@dataclass
class Streams:
    bus: FakeBus | RedisBus
    add: Callable[[str, bytes | None], Awaitable[str]]
    """Write any entry to any stream."""

    async def read(
        self, count: int, positions: dict[str, str] | None = None, *, within_s: float = 5
    ) -> list[InputEntry]:
        entries: list[InputEntry] = []
        async with (
            asyncio.timeout(within_s),
            aclosing(self.bus.read_inputs(MEETING, positions or {})) as inputs,
        ):
            async for entry in inputs:
                entries.append(entry)
                if len(entries) == count:
                    break
        return entries


def said(number: int, text: str = "다음 주에 출시합니다. We ship next week.") -> SegmentMessage:
    return SegmentMessage(
        id=f"s{number}",
        speaker="minji",
        name="김민지",
        text=text,
        start_ms=number * 1000,
        end_ms=number * 1000 + 5,
    )
