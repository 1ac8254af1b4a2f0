"""What is read aloud of an answer, and a plugin that is none."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from livekit import rtc
from livekit.rtc.participant import PublishTrackError

from context.ports import Refused
from tests.fakes.livekit_tts import ToneTTS
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.cases import cases
from worker.adapters.livekit_voice import LiveKitVoice, load_voice, spoken


@cases
def test_times_and_markup_are_not_read_aloud(text: str, aloud: str) -> None:
    assert spoken(text) == aloud


def test_a_long_answer_is_cut_at_a_sentence() -> None:
    cut = spoken("A sentence that is said. " * 200)
    assert len(cut) <= 1200
    assert cut.endswith("said.")


@pytest.mark.parametrize(
    "path", ["livekit:tests.nowhere:Voice", "livekit:tests.fakes.livekit_tts:RATE_HZ", "livekit:math:sqrt"]
)
def test_what_is_no_voice_is_named(path: str) -> None:
    with pytest.raises(Refused, match="TTS_ENGINE"):
        load_voice(path)


async def test_a_plugin_that_cannot_be_closed_keeps_no_meeting_from_its_end() -> None:
    class Broken:
        async def aclose(self) -> None:
            raise RuntimeError("the connection is gone")

    await LiveKitVoice(cast("Any", None), cast("Any", Broken()), asyncio.ensure_future).aclose()


class _Source:
    """An audio source without LiveKit's library."""

    def __init__(self, rate: int, channels: int) -> None:
        del rate, channels
        self.frames = 0

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        self.frames += frame.samples_per_channel

    async def wait_for_playout(self) -> None: ...

    def clear_queue(self) -> None: ...


class _Room:
    """A room whose server takes a track at the third try: first it never answers, then it refuses."""

    def __init__(self) -> None:
        self.local_participant = self
        self.tracks: list[Any] = []

    async def publish_track(self, track: Any, options: rtc.TrackPublishOptions) -> None:
        self.tracks.append(track)
        if len(self.tracks) == 1:
            await asyncio.Event().wait()
        if len(self.tracks) == 2:
            raise PublishTrackError("engine: timeout")


@in_virtual_time
async def test_a_track_that_livekit_does_not_take_costs_no_answer_its_voice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rtc, "AudioSource", _Source)
    monkeypatch.setattr(rtc.LocalAudioTrack, "create_audio_track", lambda name, source: source)
    room, spoken_by = _Room(), list[asyncio.Task[Any]]()

    def own(work: Any, *, name: str) -> asyncio.Task[Any]:
        spoken_by.append(asyncio.get_running_loop().create_task(work, name=name))
        return spoken_by[-1]

    LiveKitVoice(cast("Any", room), ToneTTS(), own).speak("Monday at ten.")
    await asyncio.gather(*spoken_by)
    assert [bool(source.frames) for source in room.tracks] == [False, False, True]
