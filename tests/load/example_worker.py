"""`python -m tests.load.example_worker`: LiveKit's `multi-user-transcriber`, its speech engine an HTTP endpoint.

The endpoint is asked as LiveKit's own OpenAI plugin asks it: one request for each stretch, the sound
as a wav, by the same SDK. So both sides of the measure meet the same server.
"""

from __future__ import annotations

import openai
from livekit import rtc
from livekit.agents import LanguageCode, stt, utils

from tests.bench import example_job
from tests.bench.bare_job import accept
from tests.bench.bare_worker import serve
from worker.configuration.settings import Settings


class HttpStt(stt.STT[str]):
    """An engine behind `/audio/transcriptions`."""

    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._client = openai.AsyncOpenAI(
            api_key="none", base_url=Settings.load().stt.base_url, max_retries=0, timeout=30.0
        )

    async def _recognize_impl(self, buffer: utils.AudioBuffer, **_options: object) -> stt.SpeechEvent:
        sound = rtc.combine_audio_frames(buffer).to_wav_bytes()
        answer = await self._client.audio.transcriptions.create(
            file=("file.wav", sound, "audio/wav"), model="whisper-1", language="ko", response_format="json"
        )
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(language=LanguageCode("ko"), text=answer.text)],
        )


example_job.make_stt = HttpStt  # here, and in the server that jobs are forked from: it preloads this module

if __name__ == "__main__":
    serve(
        example_job.AGENT_NAME,
        example_job.entrypoint,
        accept,
        setup=example_job.prewarm,
        preload=["tests.load.example_worker"],
    )
