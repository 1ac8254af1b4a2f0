"""From the end of speech to the final text in the room, beyond the engine and the silence window.

Two people speak in turns in a real room; the text is there when a client, a process of its own, has
read all of it. The engine is the machine's shared one on its socket, with a recogniser that answers at
once; the time that it took is subtracted all the same. `hops` tells where the rest goes. Two beginnings:

- *As it arrived*: when the frame with the last voice of a line (the detector's last window with a
  voice in it) came into the job. What follows is Moim's: frames, the detector's windows, the request
  to the engine, the fold, the commit, the text's way to the client. This has the goal.
- *As it was said*: when that moment of the *original* sound was due at the microphone. It has the
  sound's way to the job in it, which is the room's: codec, server, jitter buffer. Its baseline is
  the room alone, in the same minutes: the sound of the same lines to a bare subscriber, and half a
  round trip of a text to a bare job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from livekit import rtc

from stt.endpointer import Endpointer, SpeechEnded
from stt.files.audio import read_pcm
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from stt.vad import WINDOW_BYTES, SileroVad
from tests.bench import hops
from tests.bench.figures import Figure, percentile
from tests.bench.hops import WINDOW_S, Way, trips_s, ways
from tests.bench.live import Ground, audio_folder, bare_in, measured, moim_in, say, spoken_lines
from tests.bench.processes import load
from tests.fakes.players import Stage
from worker.clock import monotonic_s

_MEETINGS: Final = ("ko-release-planning", "en-sprint-review")
_LINES: Final = 44
_CUT_S: Final = 1.8
"""The last so many seconds of a line are enough."""
_EVERY_S: Final = 1.9
"""A line begins so long after the one before it, which was the other's."""
_LEAD_S: Final = 3.0
_LIMIT_S: Final = 240.0
_GOAL_MS: Final = 50.0
_MS: Final = 1000.0
_SYNC_EVERY_S: Final = 0.7
_PROBE_MS: Final = 10
_STEEP_MS: Final = 50
"""From rather loud to very loud, where it gets loud at once."""
_SPEAKERS: Final = ("minji", "ben")


@dataclass(frozen=True, slots=True)
class Cut:
    """A line's end as sound."""

    pcm: bytes
    onset_s: float | None
    """Where it gets loud; None where it does so by and by, and a codec could move the moment."""
    end_s: float
    """Where the voice ends, as the detector hears it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line on somebody's track, in seconds of the play."""

    speaker: str
    at_s: float
    cut: Cut


def latency() -> list[Figure]:
    """Milliseconds beyond the engine and the silence window."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    lines = spread(await asyncio.to_thread(_cuts))
    debug = {"MOIM_LOG_LEVEL": "debug"}
    async with (
        ground.moim_by_default(debug),
        ground.bare(),
        ground.stage("latency") as stage,
        ground.listener(stage),  # before there are players: their threads and a fork do not go together
    ):
        players = {name: stage.player(name) for name in _SPEAKERS}
        for line in lines:
            players[line.speaker].say(line.cut.pcm, line.at_s)
        for player in players.values():
            await player.join()
        await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        await moim_in(players[_SPEAKERS[0]])
        await bare_in(players[_SPEAKERS[0]])
        probe = Probe(stage, lines)
        await probe.join()
        stage.begin()
        say(f"{len(lines)} lines in {stage.length_s:.0f} s")
        disk_s = await _syncs(ground, stage)
        await stage.until(stage.length_s + 2)
        await probe.leave()
    found = ways(*(ground.told(name) for name in ("worker", "engine", "listener")))
    trips = trips_s(ground.told("listener"))
    return _figures(Seen(stage, found, probe.delays, percentile(trips, 0.5) / 2), lines) + hops.figures(
        list(found.values()), disk_s=disk_s, trips_s=trips
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a play."""

    stage: Stage
    ways: Mapping[str, Way]
    """By the key of a turn: its way."""
    sound_s: Mapping[Line, float]
    """How long the sound of a line took to the bare subscriber."""
    back_s: float
    """How long a text takes back."""


def _figures(seen: Seen, lines: Sequence[Line]) -> list[Figure]:
    ours: list[float] = []
    beyond: list[float] = []
    floors: list[float] = []
    for line in lines:
        ended_s = _moment(seen.stage, line.at_s + line.cut.end_s)
        way = _way_of(seen.ways, line.speaker, ended_s)
        if way is None:
            continue
        beyond.append(way.ours_s(ended_s) * _MS)
        ours.append(way.ours_s(way.job["voice_s"]) * _MS)
        if (sound_s := seen.sound_s.get(line)) is not None:
            floors.append((sound_s + seen.back_s) * _MS)
    late = len(lines) - len(beyond)
    if late > len(lines) // 10 or not floors:
        raise TimeoutError(f"{late} of {len(lines)} lines did not become text in time")
    return [
        Figure(
            "end of speech (as it came in) to text in the room, p95, beyond engine and silence window",
            percentile(ours, 0.95),
            "ms",
            _GOAL_MS,
            "a text from job to client in the same room, median",
            seen.back_s * _MS,
            note=f"median {percentile(ours, 0.5):.0f}, {len(ours)} lines, {late} missed, "
            f"window {WINDOW_S * _MS:.0f} ms, {load()}",
        ),
        Figure(
            "the same from the end of speech as it was said, p95",
            percentile(beyond, 0.95),
            "ms",
            None,
            "the room alone: the same sound to a bare subscriber and a text back, p95",
            percentile(floors, 0.95),
        ),
        Figure(
            "the same, median",
            percentile(beyond, 0.5),
            "ms",
            None,
            "the room alone, median",
            percentile(floors, 0.5),
        ),
    ]


def _moment(stage: Stage, second: float) -> float:
    """A second of the play on the monotonic clock."""
    assert stage.started_s is not None
    return stage.started_s + second


def _way_of(ways: Mapping[str, Way], speaker: str, ended_s: float) -> Way | None:
    """The way of a line whose voice ended at `ended_s`; None: it did not become text in time."""
    came = [
        way
        for key, way in ways.items()
        if key.startswith(f"{speaker}@") and ended_s + 0.3 < way.received_s < ended_s + _EVERY_S
    ]
    return came[-1] if came else None


async def _syncs(ground: Ground, stage: Stage) -> list[float]:
    """What the disk alone takes for a commit, in between the lines."""
    found = []
    while stage.now_s < stage.length_s:
        found.append(await asyncio.to_thread(ground.sync_s))
        await asyncio.sleep(_SYNC_EVERY_S)
    return found


# ---- the sound's way --------------------------------------------------------------------------


class Probe:
    """A bare subscriber: how long after it was due does the loud beginning of a line come out?"""

    def __init__(self, stage: Stage, lines: Sequence[Line]) -> None:
        self.delays: dict[Line, float] = {}
        self._stage, self._lines = stage, lines
        self._player = stage.player("probe", hears=True)
        self._tasks: set[asyncio.Task[None]] = set()

    async def join(self) -> None:
        """Subscribe to everybody."""
        await self._player.join(microphone=False)
        for participant in self._player.room.remote_participants.values():
            for publication in participant.track_publications.values():
                if publication.track is not None:
                    self._listen(publication.track, participant.identity)
        self._player.room.on("track_subscribed", lambda track, _, who: self._listen(track, who.identity))

    async def leave(self) -> None:
        """Hear no more."""
        for task in self._tasks:
            task.cancel()
        await self._player.leave()

    def _listen(self, track: rtc.Track, speaker: str) -> None:
        task = asyncio.get_running_loop().create_task(self._read(track, speaker), name=f"probe:{speaker}")
        self._tasks.add(task)

    async def _read(self, track: rtc.Track, speaker: str) -> None:
        waiting = [
            (line, line.cut.onset_s)
            for line in self._lines
            if line.speaker == speaker and line.cut.onset_s is not None
        ]
        stream = rtc.AudioStream.from_track(
            track=track, sample_rate=SAMPLE_RATE_HZ, num_channels=1, frame_size_ms=_PROBE_MS
        )
        try:
            async for event in stream:
                now_s = monotonic_s()
                if self._stage.started_s is None:
                    continue
                while waiting and now_s > _moment(self._stage, waiting[0][0].at_s + _CUT_S):
                    waiting.pop(0)  # it never got loud
                if not waiting:
                    continue
                line, onset_s = waiting[0]
                due_s = _moment(self._stage, line.at_s + onset_s)
                loud = _levels(bytes(event.frame.data)).max(initial=0) > _threshold(line.cut.pcm)
                if loud and now_s > due_s - 0.3:
                    self.delays[line] = now_s - due_s
                    waiting.pop(0)
        finally:
            await stream.aclose()


def _levels(pcm: bytes) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """RMS of each 10 ms."""
    wave = np.frombuffer(pcm, np.int16).astype(np.float64)
    step = _PROBE_MS * SAMPLE_RATE_HZ // 1000
    whole = wave[: len(wave) // step * step].reshape(-1, step)
    levels: np.ndarray[tuple[int], np.dtype[np.float64]] = np.sqrt((whole**2).mean(axis=1))
    return levels


def _threshold(pcm: bytes) -> float:
    """Loud enough to be told from what a codec makes of silence: half of the loudest 10 ms."""
    return float(_levels(pcm).max()) / 2


def onset_s(pcm: bytes) -> float | None:
    """Where it gets loud, if it does so at once: what is just half as loud here may be less there."""
    levels, half = _levels(pcm), _threshold(pcm)
    softly, at, loudly = (int(np.argmax(levels > half * share)) for share in (0.7, 1.0, 1.3))
    return at * _PROBE_MS / 1000 if (loudly - softly) * _PROBE_MS <= _STEEP_MS else None


# ---- what is said -----------------------------------------------------------------------------


def spread(cuts: Sequence[Cut]) -> list[Line]:
    """The cuts on the tracks of two people who take turns."""
    return [
        Line(_SPEAKERS[number % len(_SPEAKERS)], _LEAD_S + number * _EVERY_S, cut)
        for number, cut in enumerate(cuts[:_LINES])
    ]


def _cuts() -> list[Cut]:
    """Ends of the lines of both sample meetings, each one stretch without a longer pause."""
    found: list[Cut] = []
    for name in _MEETINGS:
        folder = audio_folder(name)
        tracks: dict[str, bytes] = {}
        for speaker, _, end_s in spoken_lines(folder):
            if speaker not in tracks:
                tracks[speaker] = _track(folder, speaker)
            end = int(end_s * 1000) * BYTES_PER_MS
            cut = _cut(tracks[speaker][max(0, end - int(_CUT_S * 1000) * BYTES_PER_MS) : end])
            if cut is not None:
                found.append(cut)
    return found


def _track(folder: Path, speaker: str) -> bytes:
    return b"".join(read_pcm(folder / f"{speaker}.flac"))


def _cut(pcm: bytes) -> Cut | None:
    """None where the detector hears no voice in it, or more than one stretch."""
    detector, endpointer = SileroVad(), Endpointer()
    silence = bytes(WINDOW_BYTES * 32)
    sound = silence + pcm + silence
    ends: list[int] = []
    for at in range(0, len(sound) - WINDOW_BYTES + 1, WINDOW_BYTES):
        window = sound[at : at + WINDOW_BYTES]
        heard = endpointer.push(window, detector.probability(window), at // 2)
        ends += [event.voiced_sample for event in heard if isinstance(event, SpeechEnded)]
    if len(ends) != 1:
        return None
    return Cut(pcm, onset_s(pcm), (ends[0] - len(silence) // 2) / SAMPLE_RATE_HZ)
