"""Sound that fakes can understand: every sample of a stretch has one value, and the value is a line."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator

from stt.segment import EngineBusy, EngineFailed, Segment, Stretch

LINES = {
    1: ("ko", "출시일은 십이월 이십이일로 결정하겠습니다."),
    2: ("en", "The second server goes live on Friday."),
    3: ("ko", "모임아, 지금까지 결정된 게 뭐야?"),
    4: ("en", "I will send the report by Monday. 👋"),
}
SILENCE = 0
BROKEN = 90
"""An engine that hears this fails."""
OVERLOADED = 91
"""An engine that hears this has no room."""


def pcm(value: int, ms: int = 800) -> bytes:
    """A stretch that says `LINES[value]`."""
    return array("h", [value] * (16 * ms)).tobytes()


def value_of(sound: bytes) -> int:
    """What a stretch says."""
    return array("h", sound[:2])[0]


def said(sound: bytes) -> list[Segment]:
    """What an engine would answer; raises `EngineFailed` for what it can't understand."""
    value = value_of(sound)
    if value == SILENCE:
        return []
    if value not in LINES:
        raise EngineFailed(f"can't understand {value}")
    language, text = LINES[value]
    return [Segment(text, 0, len(sound) // 32, final=True, confidence=0.9, language=language)]


def stretch(
    value: int,
    ms: int = 800,
    *,
    key: str = "s1",
    language: str = "auto",
    chunk_ms: int = 50,
    terms: tuple[str, ...] = (),
) -> Stretch:
    """A stretch whose sound is all there already."""
    return Stretch(key, language, chunks(pcm(value, ms), chunk_ms), terms=terms)


async def chunks(sound: bytes, chunk_ms: int = 50) -> AsyncIterator[bytes]:
    """Sound in pieces."""
    for start in range(0, len(sound), chunk_ms * 32):
        yield sound[start : start + chunk_ms * 32]


class SpokenEngine:
    """The simplest engine that keeps the contract: understands at once, without interims."""

    name = "spoken"
    gives_interims = False

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        sound = b"".join([chunk async for chunk in stretch.sound])
        if sound and value_of(sound) == OVERLOADED:
            raise EngineBusy("no room")
        for segment in said(sound) if sound else []:
            yield segment

    async def aclose(self) -> None:
        """Nothing to let go of."""
