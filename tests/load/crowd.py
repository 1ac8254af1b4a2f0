"""`python -m tests.load.crowd`: everybody who speaks in the rooms of a load, in a process of its own.

On stdin one JSON object: `{"url", "folder", "seconds", "step_s", "rooms": [{speaker: token}]}`. It prints
`joined`; at the next line of stdin it begins, prints `{"began_s"}` (the machine's monotonic clock), and at
the end `{"late_s"}`: how far behind it was at worst. Room i begins i × `step_s` into the meeting.

A microphone whose owner is silent sends next to nothing, as with DTX: frames are given only around
speech. So a room costs a third of what one that encodes silence costs.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from livekit import rtc

from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from stt.segment import SAMPLE_RATE_HZ
from worker.clock import monotonic_s

FRAME_S: Final = 0.1
_SAMPLES: Final = int(SAMPLE_RATE_HZ * FRAME_S)
_LOUD: Final = 8
_BEFORE, _AFTER = 2, 5
"""Frames of room tone that are sent with speech."""
_LEAD_S: Final = 0.02
"""A frame is given so early that the source never runs dry within speech."""


class Microphone:
    """One speaker in one room."""

    def __init__(self, pcm: np.ndarray, loop: int) -> None:
        self._pcm, self._loop = pcm, loop
        self._room = rtc.Room()
        self._source = rtc.AudioSource(SAMPLE_RATE_HZ, 1, queue_size_ms=1000)

    async def join(self, url: str, access: str) -> None:
        """Enter, and open the microphone."""
        await self._room.connect(url, access, rtc.RoomOptions(auto_subscribe=False))
        track = rtc.LocalAudioTrack.create_audio_track("microphone", self._source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        await self._room.local_participant.publish_track(track, options)

    async def speak(self, began_s: float, start: int, frames: int) -> float:
        """Say what is said from frame `start` of the meeting on; how late it was at worst, in seconds."""
        late_s = 0.0
        for number in self._spoken(start, frames):
            wait_s = began_s + number * FRAME_S - _LEAD_S - monotonic_s()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            late_s = max(late_s, -wait_s - _LEAD_S)
            at = (start + number) % self._loop * _SAMPLES
            piece = self._pcm[at : at + _SAMPLES].tobytes()
            await self._source.capture_frame(rtc.AudioFrame(piece, SAMPLE_RATE_HZ, 1, _SAMPLES))
        return late_s

    async def leave(self) -> None:
        """Hang up."""
        await self._room.disconnect()

    def _spoken(self, start: int, frames: int) -> Iterator[int]:
        loud = np.abs(self._pcm.reshape(self._loop, _SAMPLES).astype(np.int32)).max(axis=1) > _LOUD
        near = loud.copy()
        for shift in (*range(-_BEFORE, 0), *range(1, _AFTER + 1)):
            near |= np.roll(loud, shift)
        return (number for number in range(frames) if near[(start + number) % self._loop])


async def main() -> None:
    """See the module."""
    wanted: dict[str, Any] = json.loads(await asyncio.to_thread(sys.stdin.readline))
    meeting = read_folder(Path(wanted["folder"]))
    sounds = {
        track.participant: np.frombuffer(b"".join(read_pcm(track.path)), np.int16) for track in meeting.tracks
    }
    loop = -(-max(len(sound) for sound in sounds.values()) // _SAMPLES)
    padded = {who: np.pad(sound, (0, loop * _SAMPLES - len(sound))) for who, sound in sounds.items()}
    rooms = []
    for room in wanted["rooms"]:
        microphones = {who: Microphone(padded[who], loop) for who in room}
        await asyncio.gather(*(one.join(wanted["url"], room[who]) for who, one in microphones.items()))
        rooms.append(list(microphones.values()))
    print("joined", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    began_s = monotonic_s() + 0.2
    print(json.dumps({"began_s": began_s, "loop_s": loop * FRAME_S}), flush=True)
    frames = int(wanted["seconds"] / FRAME_S)
    late = await asyncio.gather(
        *(
            one.speak(began_s, round(number * wanted["step_s"] / FRAME_S), frames)
            for number, room in enumerate(rooms)
            for one in room
        )
    )
    print(json.dumps({"late_s": max(late)}), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(one.leave() for room in rooms for one in room))


if __name__ == "__main__":
    asyncio.run(main())
