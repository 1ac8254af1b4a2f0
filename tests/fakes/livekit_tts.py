"""A voice of livekit-agents that hums: 50 ms of a tone per character, at most a second."""

from __future__ import annotations

import math
from array import array

from livekit.agents import DEFAULT_API_CONNECT_OPTIONS, APIConnectOptions, tts

RATE_HZ = 24_000


class ToneTTS(tts.TTS[str]):
    """Says everything in one tone. `BROKEN` in a text breaks it."""

    def __init__(self) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE_HZ, num_channels=1
        )
        self.said: list[str] = []

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        """One tone."""
        self.said.append(text)
        return _Tone(tts=self, input_text=text, conn_options=conn_options)


class _Tone(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        if "BROKEN" in self.input_text:
            raise ValueError("no voice today")
        output_emitter.initialize(
            request_id="tone", sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm"
        )
        samples = min(RATE_HZ, len(self.input_text) * RATE_HZ // 20)
        wave = array("h", (int(8000 * math.sin(place / 9)) for place in range(samples)))
        output_emitter.push(wave.tobytes())
        output_emitter.flush()
