"""An engine that says a script word by word, and can be asked for what it has heard so far."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field

from stt.agreement import Reading, TimedWord
from stt.rereading import GrowingStretch, ReadingOutcome
from stt.segment import BYTES_PER_MS, EngineBusy, Segment, Stretch


@dataclass
class ReadingEngine:
    """A word of `script` for each `word_ms` of sound; a reading takes `takes_s`, a final `final_s`.

    A reading hears the sound that it is given: to tell where that begins, the sound has to be `counted`.
    """

    script: list[str]
    word_ms: int = 400
    takes_s: float = 0.4
    final_s: float = 1.0
    misheard: dict[int, str] = field(default_factory=dict)
    """Number of a reading → what it says instead."""
    trouble: list[Exception | None] = field(default_factory=list)
    """What the next readings raise, if anything."""
    timed: bool = True
    longest_s: float = 9.0
    name: str = "reading"
    gives_interims: bool = True
    gives_way: bool = False
    finals: int = 0
    """Finals under way."""
    outcomes: list[ReadingOutcome] = field(default_factory=list)
    lengths_ms: list[int] = field(default_factory=list)
    """The length of the sound of each reading."""
    at_once: int = 0
    most_at_once: int = 0

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        growing = GrowingStretch(
            stretch,
            self._read if self.gives_interims else None,
            longest_s=self.longest_s,
            on_reading=self.outcomes.append,
            gives_way=lambda: self.gives_way,
        )
        async with aclosing(growing.interims()) as interims:
            async for interim in interims:
                yield interim
        sound_ms = sum(map(len, growing.chunks)) // BYTES_PER_MS
        self.finals += 1
        try:
            await asyncio.sleep(self.final_s)
        finally:
            self.finals -= 1
        text = " ".join(self.script[: sound_ms // self.word_ms])
        yield Segment(text, 0, sound_ms, final=True, confidence=0.9, language="ko")

    async def aclose(self) -> None:
        """Nothing to let go of."""

    async def _read(self, sound: bytes, language: str) -> Reading:
        if self.finals:
            raise EngineBusy("finals first")
        if self.trouble and (error := self.trouble.pop(0)) is not None:
            raise error
        self.lengths_ms.append(len(sound) // BYTES_PER_MS)
        number = len(self.lengths_ms)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.at_once -= 1
        if (misheard := self.misheard.get(number)) is not None:
            return Reading(tuple(map(TimedWord, misheard.split())), language)
        from_ms = position_ms(sound)
        first, last = -(-from_ms // self.word_ms), (from_ms + len(sound) // BYTES_PER_MS) // self.word_ms
        return Reading(
            tuple(
                TimedWord(word, (at + 1) * self.word_ms - from_ms if self.timed else None)
                for at, word in enumerate(self.script[first:last], first)
            ),
            "ko",
        )


def counted(duration_ms: int) -> bytes:
    """Loud sound of which each millisecond tells its number, up to 20 s."""
    return b"".join((8000 + at).to_bytes(2, "little") * 16 for at in range(duration_ms))


def position_ms(sound: bytes) -> int:
    """Which millisecond of `counted` sound this begins with."""
    return int.from_bytes(sound[:2], "little") - 8000
