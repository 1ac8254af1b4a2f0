"""`python -m tests.load.readers`: a client in each room of a load that reads what is transcribed there.

On stdin one JSON object: `{"url", "tokens": [token of room 0, …]}`. It prints `reading`, and for every
final text, once it was read to its end, `{"room", "speaker", "text", "received_s"}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from typing import Any

from livekit import rtc

from worker.clock import monotonic_s
from worker.demo.players import TRANSCRIPTION_TOPIC


class Readers:
    """One client per room, until it is killed."""

    def __init__(self) -> None:
        self._reading: set[asyncio.Task[None]] = set()
        self._rooms: list[rtc.Room] = []

    async def run(self, url: str, tokens: list[str]) -> None:
        """Join all rooms, and read."""
        for number, access in enumerate(tokens):
            room = rtc.Room()
            room.register_text_stream_handler(TRANSCRIPTION_TOPIC, partial(self._opened, number))
            await room.connect(url, access, rtc.RoomOptions(auto_subscribe=False))
            self._rooms.append(room)
        print("reading", flush=True)
        await asyncio.Event().wait()

    def _opened(self, number: int, reader: rtc.TextStreamReader, identity: str) -> None:
        task = asyncio.get_running_loop().create_task(self._read(number, reader, identity), name="transcript")
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, number: int, reader: rtc.TextStreamReader, identity: str) -> None:
        text = await reader.read_all()
        received_s = monotonic_s()
        if (reader.info.attributes or {}).get("lk.transcription_final") == "true":
            said = {"room": number, "speaker": identity, "text": text, "received_s": received_s}
            print(json.dumps(said, ensure_ascii=False), flush=True)


async def main() -> None:
    """See the module."""
    wanted: dict[str, Any] = json.loads(await asyncio.to_thread(sys.stdin.readline))
    await Readers().run(wanted["url"], wanted["tokens"])


if __name__ == "__main__":
    asyncio.run(main())
