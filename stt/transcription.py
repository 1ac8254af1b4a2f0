"""One stretch's way through an engine: attempts, patience, and a clean end whatever the engine does.

An engine may be busy, fail, hang or fall silent; none of it may cost more than this stretch. An engine that
is full, away, or silent to everybody is waited for (`stt.outage`), while there is room for the sound
(`stt.backlog`). A failure, and a hang while others are answered, are troubles of this stretch: it gets a
fresh attempt, from the first sample, at once and then after pauses that grow. Given up is only a stretch that
is in trouble again and again while others become text: it is the stretch then, and not the engine. Nothing is
given up before the sound has ended.

What an attempt may take grows with how slow the engine is: a machine that is busy with other things needs
longer for everything, and is not hung.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Literal

import structlog

from stt.outage import EngineProgress, Outage
from stt.segment import EngineBusy, EngineFailed, EngineSilent, Segment, SpeechEngine, Stretch
from stt.sound import Sound, SoundReader
from stt.spoken_language import FIRST_SHARES, Shares
from stt.spoken_terms import Terms, no_terms

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an attempt may take, and how often a stretch in trouble is tried."""

    base_s: float = 15.0
    """An attempt may take so long after its sound has ended (or it began) …"""
    per_second: float = 1.0
    """… and so much more for each second of sound."""
    engine_queue_s: float = 30.0
    """At most so much is added while the engine works through others' requests: see `stt.outage`."""
    troubles: int = 5
    """So many of them, a hang counting twice, give a stretch up, if others have become text meanwhile."""
    longest_pause_s: float = 30.0
    """The longest pause before a fresh attempt."""


class GaveUp(Exception):
    """No text will come of this stretch; `reason` is that of its gap."""

    def __init__(self, reason: Literal["stt_error", "stt_timeout"], why: str) -> None:
        super().__init__(why)
        self.reason: Literal["stt_error", "stt_timeout"] = reason


class TryLater(Exception):
    """The stretch is in trouble; it is to be `run` again after `pause_s`, and others may go first."""

    def __init__(self, pause_s: float) -> None:
        super().__init__(f"tried again in {pause_s:g} s")
        self.pause_s = pause_s


class Transcription:
    """Gets the sound of one stretch transcribed, by as many attempts as it takes: `run` it until it has."""

    def __init__(
        self,
        engine: SpeechEngine,
        sound: Sound,
        *,
        key: str,
        language: str,
        patience: Patience,
        on_segment: Callable[[list[Segment]], None],
        outage: Outage | None = None,
        expected: Callable[[], Shares] = lambda: FIRST_SHARES,
        terms: Terms = no_terms,
    ) -> None:
        """`on_segment` gets the running attempt's segments at each new one: finals, then the interim.

        `key` identifies the stretch to the engine; `outage` is shared with whoever else uses it.
        `expected`: see `Stretch`. `terms` says at each attempt what may be said in it.
        """
        self._engine, self._sound = engine, sound
        self._key, self._language, self._expected, self._terms = key, language, expected, terms
        self._patience = patience
        self._on_segment = on_segment
        self._outage = outage or Outage()
        self._progress = EngineProgress(engine, patience.engine_queue_s)
        self._asked_s = 0.0
        """When the running attempt began."""
        self._answers_before = 0
        """`Outage.answers` when the running attempt had all its sound."""
        self._attempt_limit_s: float | None = None
        """What the running attempt may take while the engine is silent: see `Outage.attempt`."""
        self._troubles = 0
        self._texts_before: int | None = None
        """`Outage.texts` at the first attempt."""

    async def run(self) -> list[Segment]:
        """Return the final segments; none: nothing was said. Raises `GaveUp` or `TryLater`."""
        early = 0
        if self._texts_before is None:
            self._texts_before = self._outage.texts
        while True:
            await self._outage.wait_to_ask(lambda: self._sound.ended)
            whole = self._sound.ended
            try:
                with self._outage.attempt(self) as self._attempt_limit_s:
                    self._asked_s = asyncio.get_running_loop().time()
                    segments = await self._within_limit()
            except (_OutOfTime, EngineSilent) as hang:
                if self._hung(hang):
                    self._in_trouble("stt_timeout", f"{self._engine.name} gave no result in time", weight=2)
            except EngineBusy as busy:
                self._outage.note_away(str(busy), ask_after_s=busy.retry_after_s)
            except Exception as failure:  # noqa: BLE001 - an engine may raise anything
                there = isinstance(failure, EngineFailed)
                self._outage.note_failure(str(failure) or repr(failure), there=there)
                _log.warning("stt_failed", key=self._key, engine=self._engine.name, error=repr(failure))
                early += 1
                if whole:
                    self._in_trouble("stt_error", str(failure))
                elif early > 1:
                    await self._sound.completion()  # then with all of it
            else:
                self._note_text()
                return segments

    def _note_text(self) -> None:
        ended_s = self._sound.ended_at_s
        assert ended_s is not None, "an attempt that returns has read to the end"
        took_s = asyncio.get_running_loop().time() - max(ended_s, self._asked_s)
        self._outage.note_text(took_s, self._sound.duration_s)

    def _in_trouble(self, reason: Literal["stt_error", "stt_timeout"], why: str, *, weight: int = 1) -> None:
        """Count a trouble. Returns where an attempt may follow at once; raises `TryLater` or `GaveUp`."""
        first = not self._troubles
        self._troubles += weight
        if first:
            return
        if self._troubles >= self._patience.troubles and self._outage.texts > (self._texts_before or 0):
            raise GaveUp(reason, why)
        raise TryLater(min(self._patience.longest_pause_s, 2.0 ** min(10, self._troubles - 2)))

    async def _within_limit(self) -> list[Segment]:
        """Make one attempt, which may take as long as the sound grows, and then its share of the deadline."""
        try:
            async with asyncio.timeout(None) as limit:
                watching = asyncio.get_running_loop().create_task(self._watch(limit))
                try:
                    return await self._attempt()
                finally:
                    watching.cancel()
                    await asyncio.wait({watching})
        except TimeoutError:
            if limit.expired():
                raise _OutOfTime from None
            raise

    async def _watch(self, limit: asyncio.Timeout) -> None:
        await self._sound.completion()
        ended_s = self._sound.ended_at_s
        assert ended_s is not None
        self._answers_before = self._outage.answers
        patience, sound_s = self._patience, self._sound.duration_s
        if self._attempt_limit_s is not None:
            may_take_s = self._attempt_limit_s + patience.per_second * sound_s
        else:
            usual_s = patience.base_s + patience.per_second * sound_s
            may_take_s = max(usual_s, self._outage.slow_answer_s(sound_s))
        limit.reschedule(max(ended_s, self._asked_s) + may_take_s)
        await self._progress.prolong(limit)

    async def _attempt(self) -> list[Segment]:
        reading = SoundReader(self._sound)
        finals: list[Segment] = []
        stretch = Stretch(self._key, self._language, reading, self._expected, self._terms())
        segments = self._engine.transcribe(stretch)
        try:
            async for segment in segments:
                self._outage.note_answer()
                if segment.final:
                    finals.append(segment)
                    self._on_segment(list(finals))
                else:
                    self._on_segment([*finals, segment])
        except asyncio.CancelledError as cancelled:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Not we: gRPC shows so what the server cancelled. Taken for ours it would be nobody's outcome.
            raise RuntimeError(f"{self._engine.name} gave itself up") from cancelled
        finally:
            if isinstance(segments, AsyncGenerator):
                await segments.aclose()  # frees its connection now, not at some collection of garbage
        self._outage.note_answer()
        if not reading.finished:
            raise EngineFailed(f"{self._engine.name} stopped before the end of the sound")
        return finals

    def _hung(self, hang: Exception) -> bool:
        """Whether an attempt that got no answer counts against this stretch.

        Where nobody is answered it does not: the engine is noted as silent.
        """
        _log.warning("stt_hangs", key=self._key, engine=self._engine.name)
        others_answered = self._progress.advances or self._outage.answers != self._answers_before
        if others_answered and self._attempt_limit_s is None:
            return True
        if self._progress.advances:
            self._outage.note_answer()  # it works through others' requests: ours gets its full time
        elif not others_answered:
            self._outage.note_silence(str(hang) or f"{self._engine.name} takes sound and gives no result")
        return False


class _OutOfTime(Exception):
    """The attempt reached its limit (an engine's own TimeoutError is a failure, not this)."""
