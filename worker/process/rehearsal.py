"""A made-up meeting of a few seconds, held in the fork server before there are jobs.

Code costs memory when it first runs: bytecode is specialised in place, lookups are remembered, patterns
compiled, tables built. In a job all that would go into pages of its own; done here, it is shared by every
job. Nothing is connected, written or told, and no thread is left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from context.fold.meeting import Meeting
from stt.segment import SAMPLE_RATE_HZ, Segment, Stretch
from stt.vad import SileroVad, VadMissing
from worker.agent.question.encoder import SameVectors
from worker.bootstrap.language_models import tokenizer_of
from worker.bootstrap.streams import bus_if_any
from worker.bootstrap.thinking import Thinking
from worker.clock import SystemClock
from worker.configuration.settings import Settings
from worker.holder.solo import solo_meeting
from worker.job_metadata import JobMetadata
from worker.participants.listener import FRAME_MS

_PEOPLE: Final = ("Minji", "준호")
_SPOKEN_LINES: Final = (
    "좋습니다, 출시일은 3월 14일로 결정했습니다.",
    "서버 비용은 준호 님이 금요일까지 확인해 주세요.",
    "Let's move on to the budget, I will send the numbers tomorrow.",
    "모임아, 출시일이 언제야?",
)
_WRITTEN_QUESTION: Final = "Moim, who checks the cost of the servers?"
_FRAME: Final = b"\x10\x20\xf0\xdf" * (SAMPLE_RATE_HZ * FRAME_MS // 1000 // 2)
"""A frame that is loud enough for any gate."""
_QUIET_FRAME: Final = bytes(len(_FRAME))
_TALK_FRAMES, _FRAMES = 20, 50
"""Frames of a turn: a second of talk, and with it the silence that ends the turn."""
_PATIENCE_S: Final = 10.0
"""The rehearsal is given up after this; it needs 0.26 s of computing, on a busy machine longer."""


def rehearse(settings: Settings) -> None:
    """Hold the made-up meeting. Raises whatever goes wrong; jobs work without it, too."""
    asyncio.run(_hold(settings))


async def _hold(settings: Settings) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        await asyncio.to_thread(len, _SPOKEN_LINES)  # jobs write their status from a thread
        # What a job reads first, and the clients that it makes; they connect when they are used.
        JobMetadata.decode(JobMetadata(meeting_id="rehearsal").encode())
        async with bus_if_any(settings):
            pass
        thinker = Thinking(None, tokenizer_of(settings), settings, encoder=SameVectors())
        meeting, clock = Meeting("rehearsal", settings.context), SystemClock()
        async with solo_meeting(
            settings, meeting, thinker=thinker, engine=_Prompter(), clock=clock, make_vad=_Ear
        ) as (session, attendant):
            for name in _PEOPLE:
                attendant.joined(name, name)
            sinks = [attendant.track_opened(name, f"TR_{name}") for name in _PEOPLE]
            began_s = clock.monotonic_s()
            for number in range(len(_SPOKEN_LINES) // len(_PEOPLE) * _FRAMES):
                for sink in sinks:
                    talks = number % _FRAMES < _TALK_FRAMES
                    sink.push(_FRAME if talks else _QUIET_FRAME, began_s + number * FRAME_MS / 1000)
                await asyncio.sleep(0)
            await attendant.tracks.last_words()
            attendant.chat("rehearsal", _PEOPLE[0], _PEOPLE[0], _WRITTEN_QUESTION)
            await session.close_topics()


class _Ear:
    """A voice detector that runs the real one, and takes whatever is not silent for a voice."""

    def __init__(self) -> None:
        try:
            self._vad: SileroVad | None = SileroVad()
        except VadMissing:
            self._vad = None

    def probability(self, window: bytes) -> float:
        if self._vad is not None:
            self._vad.probability(window)
        return float(any(window))

    def reset(self) -> None:
        if self._vad is not None:
            self._vad.reset()


class _Prompter:
    """A speech engine that answers each stretch with the next line of the script."""

    name = "rehearsal"
    gives_interims = False

    def __init__(self) -> None:
        self._asked = 0

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        async for _ in stretch.sound:
            pass
        text = _SPOKEN_LINES[self._asked % len(_SPOKEN_LINES)]
        self._asked += 1
        yield Segment(text, 0, 1000, final=True, confidence=0.9)

    async def aclose(self) -> None:
        """Do nothing."""
