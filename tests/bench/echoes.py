"""What the room itself takes: texts to a bare job and back."""

from __future__ import annotations

import asyncio
from typing import Final

from livekit import rtc

from tests.bench.bare_job import ECHO_TOPIC
from worker.clock import monotonic_s

_ANSWER_S: Final = 20.0


class Echoes:
    """Text streams to a bare job and back: what the room itself takes."""

    def __init__(self, room: rtc.Room) -> None:
        self._room = room
        self._came = asyncio.Event()
        self._reading: set[asyncio.Task[None]] = set()
        room.register_text_stream_handler(ECHO_TOPIC, self._opened)

    async def round_trip_s(self, text: str, answer_s: float = _ANSWER_S) -> float:
        """Seconds until the first piece of the echo. Raises `TimeoutError`."""
        self._came.clear()
        began_s = monotonic_s()
        await self._room.local_participant.send_text(text, topic=ECHO_TOPIC)
        async with asyncio.timeout(answer_s):
            await self._came.wait()
        return monotonic_s() - began_s

    def _opened(self, reader: rtc.TextStreamReader, _identity: str) -> None:
        task = asyncio.get_running_loop().create_task(self._read(reader), name="echo")
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, reader: rtc.TextStreamReader) -> None:
        async for _ in reader:
            self._came.set()
