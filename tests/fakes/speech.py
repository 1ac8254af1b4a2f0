"""A speech engine that does what it is told, and sound and listener to go with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineBusy, EngineFailed, Segment, Stretch
from stt.spoken_language import Shares
from stt.vad import WINDOW_BYTES


@dataclass(frozen=True)
class Act:
    """What the engine does with one call."""

    text: str = ""
    confidence: float | None = 0.9
    language: str | None = "ko"
    interims: tuple[str, ...] = ()
    """Given one by one while the stretch grows."""
    delay_s: float = 0.0
    """Between the end of the sound and the text."""
    error: BaseException | None = None
    error_at_once: bool = False
    """Raise before any sound was read."""
    hangs: bool = False
    """Reads all and never answers."""
    stops_early: bool = False
    """Ends without having read the sound."""


def busy() -> Act:
    return Act(error=EngineBusy("queue is full"), error_at_once=True)


def failing() -> Act:
    return Act(error=EngineFailed("no such model"))


@dataclass
class FakeEngine:
    """Plays its script call by call; after its end, says how many ms of sound it heard."""

    script: list[Act | str] = field(default_factory=list)
    gives_interims: bool = True
    name: str = "fake"
    calls: list[str] = field(default_factory=list)
    """Stretch ids, one per call."""
    expected: list[Shares] = field(default_factory=list)
    """Which languages were expected, one for each call."""
    told: list[tuple[str, ...]] = field(default_factory=list)
    """The terms that came with each call."""
    heard: dict[str, bytes] = field(default_factory=dict)
    """What was read, per stretch; the last call's."""
    at_once: int = 0
    most_at_once: int = 0
    cancelled: int = 0
    closed: bool = False

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        act = self.script.pop(0) if self.script else None
        if isinstance(act, str):
            act = Act(act)
        self.calls.append(stretch.id)
        self.expected.append(stretch.expected())
        self.told.append(stretch.terms)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if act and act.error and act.error_at_once:
                raise act.error
            if act and act.stops_early:
                return
            heard = bytearray()
            interims = list(act.interims) if act else []
            async for chunk in stretch.sound:
                heard += chunk
                self.heard[stretch.id] = bytes(heard)
                if interims:
                    yield Segment(interims.pop(0), 0, len(heard) // BYTES_PER_MS, final=False)
            duration_ms = len(heard) // BYTES_PER_MS
            if act is None:
                yield Segment(f"{duration_ms} ms", 0, duration_ms, final=True, confidence=0.9)
                return
            await asyncio.sleep(act.delay_s)
            if act.error:
                raise act.error
            if act.hangs:
                await asyncio.Event().wait()
            yield Segment(act.text, 0, duration_ms, True, act.confidence, act.language)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.at_once -= 1

    async def aclose(self) -> None:
        self.closed = True


class LevelVad:
    """Takes every loud window for a voice."""

    def __init__(self, threshold: float = 300.0) -> None:
        self.windows = 0
        self.resets = 0
        self._threshold = threshold

    def probability(self, window: bytes) -> float:
        assert len(window) == WINDOW_BYTES
        self.windows += 1
        wave = np.frombuffer(window, np.int16).astype(np.float32)
        return 0.95 if float(np.sqrt(wave @ wave / len(wave))) > self._threshold else 0.02

    def reset(self) -> None:
        self.resets += 1


def tone(duration_ms: int, *, amplitude: int = 6000) -> bytes:
    """A voice, as far as `LevelVad` is concerned."""
    count = duration_ms * SAMPLE_RATE_HZ // 1000
    wave = amplitude * np.sin(2 * np.pi * 220 * np.arange(count) / SAMPLE_RATE_HZ)
    return wave.astype(np.int16).tobytes()


def silence(duration_ms: int) -> bytes:
    """Faint noise, the same each time."""
    count = duration_ms * SAMPLE_RATE_HZ // 1000
    return np.random.default_rng(count).integers(-8, 9, count).astype(np.int16).tobytes()


def frames(sound: bytes, frame_ms: int = 50) -> Iterable[bytes]:
    """The sound in frames, as a room delivers it."""
    step = frame_ms * BYTES_PER_MS
    for at in range(0, len(sound), step):
        yield sound[at : at + step]


async def play(
    push: Callable[[bytes, float], None], sound: bytes, *, frame_ms: int = 50, clock_s: Callable[[], float]
) -> None:
    """Push `sound` at real pace on the running loop's clock."""
    for frame in frames(sound, frame_ms):
        await asyncio.sleep(len(frame) / BYTES_PER_MS / 1000)
        push(frame, clock_s())
