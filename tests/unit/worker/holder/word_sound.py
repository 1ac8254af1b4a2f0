"""Sound whose loudness is the number of a word, and an engine that hears the words."""

from __future__ import annotations

import asyncio
import random
from array import array
from collections.abc import AsyncIterator
from itertools import groupby

from stt.segment import Segment, Stretch
from tests.fakes.speech import frames, silence
from worker.participants.listener import Sink

WORDS = {
    "ko": [
        "출시일은",
        "십이월",
        "이십이일로",
        "정하고",
        "서버를",
        "한",
        "대",
        "더",
        "사기로",
        "결정하겠습니다",
    ],
    "en": [
        "we",
        "will",
        "ship",
        "on",
        "the",
        "20th",
        "and",
        "buy",
        "one",
        "more",
        "server",
        "for",
        "the",
        "index",
    ],
}
_FAINTEST = 1000
_STEP = 40
_WORD_MS = 320
_HEARD_MS = 150
"""Half a word is none."""


def spoken(number: int) -> bytes:
    """A word: its number is how loud it is."""
    value = _FAINTEST + _STEP * number
    return array("h", [value, -value] * (8 * _WORD_MS)).tobytes()


class WordEngine:
    """Hears which words a stretch has, some time after its end."""

    name = "words"
    gives_interims = False

    def __init__(self, words: list[str], delay_s: float) -> None:
        self._words, self._delay_s = words, delay_s

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        sound = b"".join([chunk async for chunk in stretch.sound])
        await asyncio.sleep(self._delay_s)
        runs = [(value, len(list(run))) for value, run in groupby(abs(v) for v in array("h", sound))]
        said = [
            self._words[(value - _FAINTEST) // _STEP]
            for value, length in runs
            if value >= _FAINTEST and length >= 16 * _HEARD_MS
        ]
        if said:
            yield Segment(" ".join(said), 0, len(sound) // 32, final=True)

    async def aclose(self) -> None:
        """Nothing to let go of."""


def talk(words: list[str], dice: random.Random, *, pauses: float) -> bytes:
    """Words with short breaks, and `pauses` after so many of them; without, it is cut after 25 s."""
    sound = bytearray(silence(600))
    for number in range(len(words)):
        sound += spoken(number) + silence(90)
        if dice.random() < pauses:
            sound += silence(dice.choice([300, 700, 1500]))
    return bytes(sound + silence(1500))


async def speak(sink: Sink, *numbers: int, after_ms: int = 800) -> None:
    """Words with silence before and behind them, as they come in from a room."""
    loop = asyncio.get_running_loop()
    for frame in frames(silence(800) + b"".join(map(spoken, numbers)) + silence(after_ms)):
        await asyncio.sleep(0.05)
        sink.push(frame, loop.time())
