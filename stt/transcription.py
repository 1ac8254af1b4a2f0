"""One stretch's way through an engine: attempts, patience, and a clean end whatever the engine does.

An engine may be busy, fail, hang or fall silent; none of it may cost more than this stretch. An engine that
is full, away, or silent to everybody is waited for, and the deadline stands still meanwhile (`stt.outage`). A
failure, and a hang while others are answered, get one fresh attempt each, from the first sample. Nothing is
given up before the sound has ended: a stretch that failed twice while it grew gets a last attempt with all of
it.
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

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a stretch may wait for its text after its sound has ended (or its first attempt began)."""

    base_s: float = 20.0
    per_second: float = 1.0
    """Seconds added for each second of sound."""
    first_share: float = 0.75
    """The share of the deadline after which the first attempt is given up for a fresh one."""
    engine_queue_s: float = 30.0
    """At most so much is added while the engine works through others' requests: see `stt.outage`."""
    away_s: float = 120.0
    """How long an engine that is away or full is waited for in all; the deadline stands still."""


class GaveUp(Exception):
    """No text will come of this stretch; `reason` is that of its gap."""

    def __init__(self, reason: Literal["stt_error", "stt_timeout"], why: str) -> None:
        super().__init__(why)
        self.reason: Literal["stt_error", "stt_timeout"] = reason


class Transcription:
    """Gets the sound of one stretch transcribed, by as many attempts as it takes. `run` it once."""

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
    ) -> None:
        """`on_segment` gets the running attempt's segments at each new one: finals, then the interim.

        `key` identifies the stretch to the engine; `outage` is shared with whoever else uses it.
        """
        self._engine, self._sound = engine, sound
        self._key, self._language = key, language
        self._patience = patience
        self._on_segment = on_segment
        self._outage = outage or Outage()
        self._progress = EngineProgress(engine, patience.engine_queue_s)
        self._waited_s = 0.0
        """Seconds of waiting so far for an engine that was away, full or silent."""
        self._from_s = 0.0
        """The deadline counts from here on the event loop's clock, or from the end of the sound, if later."""
        self._asked_s = 0.0
        """When the running attempt began."""
        self._answers_before = 0
        """`Outage.answers` when the running attempt had all its sound."""
        self._share = 1.0
        """Of the deadline, what the running attempt may take."""
        self._attempt_limit_s: float | None = None
        """`Outage.attempt_limit_s` when the running attempt began."""

    async def run(self) -> list[Segment]:
        """Return the final segments; none: nothing was said. Raises `GaveUp`."""
        loop = asyncio.get_running_loop()
        self._from_s = loop.time()
        failures = hangs = 0
        while True:
            await self._wait_for_engine()
            self._share = 1.0 if hangs else self._patience.first_share
            self._asked_s = loop.time()
            self._attempt_limit_s = self._outage.attempt_limit_s
            whole = self._sound.ended
            try:
                return await self._within_limit()
            except (_OutOfTime, EngineSilent) as hang:
                hangs += self._hung(hang)
                if hangs > 1:
                    raise GaveUp("stt_timeout", f"{self._engine.name} gave no result in time") from None
            except EngineBusy as busy:
                self._start_anew()
                self._outage.note_away(str(busy), ask_after_s=busy.retry_after_s)
            except Exception as failure:  # an engine may raise anything
                if isinstance(failure, EngineFailed):
                    self._outage.note_answer()  # it is there, and has said so
                failures += 1
                _log.warning("stt_failed", key=self._key, engine=self._engine.name, error=repr(failure))
                if failures > 1 and whole:
                    raise GaveUp("stt_error", str(failure)) from failure
                if failures > 1:
                    await self._sound.completion()  # then once more, with all of it

    async def _wait_for_engine(self) -> None:
        """Wait while the engine is away: until it is back, or it is our turn to ask. Raises `GaveUp`."""
        if not self._outage.lasts:
            return
        loop = asyncio.get_running_loop()
        began_s, left_s = loop.time(), self._patience.away_s - self._waited_s
        if left_s <= 0:  # turns that come at once would outrun a timeout
            raise self._stayed_away()
        try:
            async with asyncio.timeout(left_s):
                await self._outage.wait_to_ask(lambda: self._sound.ended)
        except TimeoutError:
            raise self._stayed_away() from None
        finally:
            self._waited_s += loop.time() - began_s
            self._from_s = loop.time()

    def _stayed_away(self) -> GaveUp:
        return GaveUp("stt_timeout", f"{self._engine.name} stayed away: {self._outage.why}")

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
        of_sound_s = self._patience.per_second * self._sound.duration_s
        at_s = max(ended_s, self._from_s) + self._share * (self._patience.base_s + of_sound_s)
        if self._attempt_limit_s is not None:
            at_s = min(at_s, max(ended_s, self._asked_s) + self._attempt_limit_s + of_sound_s)
        limit.reschedule(at_s)
        await self._progress.prolong(limit)

    async def _attempt(self) -> list[Segment]:
        reading = SoundReader(self._sound)
        finals: list[Segment] = []
        segments = self._engine.transcribe(Stretch(self._key, self._language, reading))
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

        Where nobody is answered it does not: the engine is noted as silent, and the deadline starts anew.
        """
        _log.warning("stt_hangs", key=self._key, engine=self._engine.name)
        others_answered = self._progress.advances or self._outage.answers != self._answers_before
        if others_answered and self._attempt_limit_s is None:
            return True
        self._start_anew()
        if self._progress.advances:
            self._outage.note_answer()  # it works through others' requests: ours gets its full time
        elif not others_answered:
            self._outage.note_silence(str(hang) or f"{self._engine.name} takes sound and gives no result")
        return False

    def _start_anew(self) -> None:
        """Start the deadline anew: the attempt's time counts as waiting for an engine that was away."""
        self._from_s = asyncio.get_running_loop().time()
        ended_s = self._sound.ended_at_s
        if ended_s is not None:
            self._waited_s += self._from_s - max(self._asked_s, ended_s)


class _OutOfTime(Exception):
    """The attempt reached its limit (an engine's own TimeoutError is a failure, not this)."""
