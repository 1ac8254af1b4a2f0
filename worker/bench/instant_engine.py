"""The machine's shared speech engine with a recogniser that takes no time: the default way, on its socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from stt.engine.server import EngineServer
from stt.segment import BYTES_PER_MS, Segment
from worker.bench.instant_stt import LINES


class _Instant:
    """A recogniser that knows what it hears before it has heard it."""

    name = "instant"

    def __init__(self) -> None:
        self.asked = 0

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        """The next line, whatever the sound."""
        text = LINES[self.asked % len(LINES)]
        self.asked += 1
        return [Segment(text, 0, len(pcm) // BYTES_PER_MS, final=True, language=language)]


@asynccontextmanager
async def instant_engine(socket_path: Path) -> AsyncIterator[None]:
    """Listen on `socket_path` for the length of the block: who looks for an engine there shares this one."""
    socket_path.parent.mkdir(parents=True, exist_ok=True)
    server = EngineServer(_Instant(), socket_path)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(), name="instant-engine")
        await server.ready.wait()
        try:
            yield
        finally:
            server.stop()
