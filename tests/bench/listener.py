"""`python -m tests.bench.listener URL TOKEN`: a client in a process of its own.

Who measures when a text is there must do nothing else: in the process that plays everybody's sound, a
text waits for the players. One JSON object per line on stdout: `{"segment", "received_s"}` for a final
transcript once it was read to its end, `{"interim", "received_s"}` for one of words under way (both with their
speaker and text, this one with how much of it is firm), `{"trip_s"}` for a text to the bare job and back.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import Final

from livekit import rtc

from tests.bench.echoes import Echoes
from worker.clock import monotonic_s
from worker.demo.players import TRANSCRIPTION_TOPIC

LISTENS: Final = "listens"
_TRIP_EVERY_S: Final = 0.95
_LOST_S: Final = 2.0


class Listener:
    """Prints what it reads, until it is killed."""

    def __init__(self) -> None:
        self._reading: set[asyncio.Task[None]] = set()

    async def run(self, url: str, token: str) -> None:
        """Join, and read."""
        room = rtc.Room()  # belongs to the running loop
        room.register_text_stream_handler(TRANSCRIPTION_TOPIC, self._opened)
        options = rtc.RoomOptions(auto_subscribe=False)
        await room.connect(url, token, options)
        _tell({LISTENS: True})
        echoes = Echoes(room)
        while True:
            await asyncio.sleep(_TRIP_EVERY_S)
            with suppress(TimeoutError):  # sent before everybody's channel was open
                _tell({"trip_s": await echoes.round_trip_s("there and back", _LOST_S)})

    def _opened(self, reader: rtc.TextStreamReader, identity: str) -> None:
        task = asyncio.get_running_loop().create_task(self._read(reader, identity), name="transcript")
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, reader: rtc.TextStreamReader, speaker: str) -> None:
        text = await reader.read_all()
        said = reader.info.attributes or {}
        what: dict[str, object] = {"speaker": speaker, "text": text, "received_s": monotonic_s()}
        if said.get("lk.transcription_final") == "true":
            _tell({"segment": said.get("lk.segment_id", ""), **what})
        else:
            _tell({"interim": said.get("lk.segment_id", ""), "firm": int(said.get("moim.firm", "0")), **what})


def _tell(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    asyncio.run(Listener().run(*sys.argv[1:3]))
