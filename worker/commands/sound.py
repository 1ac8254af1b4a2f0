"""The speech engine that a recording needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from stt.segment import SpeechEngine
from worker.configuration.settings import Settings
from worker.engines.engine_host import local_engine
from worker.engines.speech_engines import speech_engine
from worker.errors import InputError
from worker.replaying import Recording


@asynccontextmanager
async def engine_for(recording: Recording, settings: Settings) -> AsyncIterator[SpeechEngine | None]:
    """The configured engine while a recording of sound is played; None for text. Raises `InputError`."""
    if not recording.tracks:
        yield None
        return
    if settings.stt.engine == "none":
        raise InputError("STT_ENGINE=none transcribes nothing: set it to whisper, openai or livekit:…")
    async with AsyncExitStack() as stack:
        if settings.stt.engine == "whisper":
            await stack.enter_async_context(local_engine(settings))
        yield await stack.enter_async_context(speech_engine(settings))
