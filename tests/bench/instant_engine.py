"""`python -m tests.bench.instant_engine SOCKET`: the machine's engine, with a recogniser that takes no time.

A process of its own, as the real one is. On stdout: `{"began_s", "done_s"}` for each stretch.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stt.engine.speech_server import EngineServer
from stt.segment import BYTES_PER_MS, Segment
from stt.spoken_language import FIRST_SHARES, Shares
from tests.bench.instant_stt import LINES
from worker.clock import monotonic_s

READY: Final = "instant engine listens"
"""The line that it prints when it may be asked."""


class _Instant:
    """A recogniser that knows what it hears before it has heard it."""

    name = "instant"

    def __init__(self) -> None:
        self.asked = 0

    def recognise(
        self, pcm: bytes, language: str, expected: Shares = FIRST_SHARES, terms: Sequence[str] = ()
    ) -> list[Segment]:
        """The next line, whatever the sound."""
        began_s = monotonic_s()
        text = LINES[self.asked % len(LINES)]
        self.asked += 1
        found = [Segment(text, 0, len(pcm) // BYTES_PER_MS, final=True, language=language)]
        print(json.dumps({"began_s": began_s, "done_s": monotonic_s()}), flush=True)
        return found


async def serve(socket_path: Path) -> None:
    """Listen on `socket_path` until killed: who looks for an engine there shares this one."""
    server = EngineServer(_Instant(), socket_path)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(), name="instant-engine")
        await server.ready.wait()
        print(READY, flush=True)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    asyncio.run(serve(path))
