"""Speech plugins of livekit-agents that understand `tests.fakes.spoken`: one that streams, one that doesn't."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from livekit.agents import NOT_GIVEN, APIConnectionError, APIConnectOptions, APIStatusError, NotGivenOr, stt
from livekit.agents.utils import AudioBuffer, merge_frames

from stt.segment import EngineFailed
from tests.fakes import spoken

Manner = Literal["well", "no_times", "time_of_day", "never_closes", "closes_early", "hangs", "silent_death"]


def _events(sound: bytes) -> list[tuple[str, str]]:
    value = spoken.value_of(sound)
    if value == spoken.OVERLOADED:
        raise APIConnectionError("overloaded")
    try:
        return [(segment.text, segment.language or "") for segment in spoken.said(sound)]
    except EngineFailed as failure:
        raise APIStatusError(str(failure), status_code=400) from failure


class BatchSTT(stt.STT[Any]):
    """Hears a stretch whole. `marks_interim` does as the clova plugin does."""

    def __init__(self, *, marks_interim: bool = False, language: str = "") -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self.language = language
        self.languages: list[NotGivenOr[str]] = []
        self._marks_interim = marks_interim

    async def _recognize_impl(
        self, buffer: AudioBuffer, *, language: NotGivenOr[str] = NOT_GIVEN, conn_options: APIConnectOptions
    ) -> stt.SpeechEvent:
        self.languages.append(language)
        kind = (
            stt.SpeechEventType.INTERIM_TRANSCRIPT
            if self._marks_interim
            else stt.SpeechEventType.FINAL_TRANSCRIPT
        )
        await asyncio.sleep(0)
        words = _events(bytes(merge_frames(buffer).data))
        return stt.SpeechEvent(
            type=kind,
            alternatives=[stt.SpeechData(language=code, text=text) for text, code in words],  # type: ignore[arg-type]  # as plugins do
        )


class StreamingSTT(stt.STT[Any]):
    """Gives interims while it hears, and a final when the sound ends."""

    def __init__(self, *, manner: Manner = "well") -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=True, interim_results=True))
        self.manner = manner
        self.streams: list[_Stream] = []

    async def _recognize_impl(
        self, buffer: AudioBuffer, *, language: NotGivenOr[str] = NOT_GIVEN, conn_options: APIConnectOptions
    ) -> stt.SpeechEvent:
        raise NotImplementedError

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = APIConnectOptions(),  # noqa: B008 - as the base class has it
    ) -> _Stream:
        stream = _Stream(self, conn_options)
        self.streams.append(stream)
        return stream


class _Stream(stt.RecognizeStream):
    def __init__(self, owner: StreamingSTT, conn_options: APIConnectOptions) -> None:
        super().__init__(stt=owner, conn_options=conn_options)
        self._owner = owner
        self.closed = False

    async def aclose(self) -> None:
        self.closed = True
        await super().aclose()

    async def _run(self) -> None:
        sound = b""
        manner = self._owner.manner
        async for frame in self._input_ch:
            if isinstance(frame, self._FlushSentinel):
                continue
            sound += bytes(frame.data)
            if manner == "closes_early" and len(sound) > 32 * 200:
                return
            if manner == "silent_death":
                raise ZeroDivisionError("a defect of the plugin")
            if len(sound) // 3200 != (len(sound) - len(frame.data) * 2) // 3200:
                for text, code in _events(sound):
                    self._emit(
                        stt.SpeechEventType.INTERIM_TRANSCRIPT, text[: len(sound) // 3200], code, sound
                    )
        if manner == "hangs":
            await asyncio.Event().wait()
        for text, code in _events(sound) if sound else []:
            self._emit(stt.SpeechEventType.FINAL_TRANSCRIPT, text, code, sound)
        self._event_ch.send_nowait(stt.SpeechEvent(type=stt.SpeechEventType.END_OF_SPEECH))
        if manner == "never_closes":
            await asyncio.Event().wait()

    def _emit(self, kind: stt.SpeechEventType, text: str, code: str, sound: bytes) -> None:
        start, end = 0.0, len(sound) / 32_000
        match self._owner.manner:
            case "no_times":
                start = end = 0.0
            case "time_of_day":
                start, end = start + self.start_time, end + self.start_time
        data = stt.SpeechData(
            language=f"{code}-XX", text=text, start_time=start, end_time=end, confidence=0.8
        )  # type: ignore[arg-type]  # as plugins do
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind, alternatives=[data]))


def make(language: str = "") -> BatchSTT:
    """A factory as `STT_ENGINE=livekit:tests.fakes.livekit_stt:make` names one."""
    return BatchSTT(language=language)
