"""Text while somebody speaks, from an engine that gives text only for sound that is complete.

The growing stretch is read again about once a second, with less effort than its final. What the readings
agree on is firm, the rest tentative (`stt.agreement`). Where words are firm and their end is known, the sound
is read on from there, so that a reading takes no longer as somebody talks on.

Readings give way. One is made only while no final waits for the engine, one at a time for each stretch, and
not while the speaker pauses: that adds nothing, and may be the stretch's end. A reading that the engine has
no room for is dropped and not queued, since a moment later there is more to read; one that is under way when
the stretch ends is given up. A reading that fails is the stretch's last: whatever is wrong, the final has to
find out and to live with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Final, Literal

import structlog

from stt.agreement import Agreement, Reading
from stt.loudness import power
from stt.segment import BYTES_PER_MS, EngineBusy, Segment, Stretch

_log = structlog.get_logger(__name__)

_FIRST_MS: Final = 900
"""The first reading is of so much sound, the 300 ms before the voice included."""
_EVERY_MS: Final = 1000
"""A reading begins so much sound after the one before it."""
_AGAIN_MS: Final = 250
"""The same after one that gave way."""
_LONG_MS: Final = 3_500
"""The length from which on sound whose words are firm is left out of the next reading."""
_KEPT_MS: Final = 2_000
"""So much of the newest sound is always read: its words may still be heard otherwise."""
_PAUSE_MS: Final = 300
"""Quiet for so long is a pause: some 200 ms before the stretch would end."""
_QUIET_SHARE: Final = 1 / 200
"""The share of the loudest power below which sound is quiet: 23 dB."""
_SURE_MS: Final = 2_000
"""A reading of so much sound settles which language the later ones are read in."""


Read = Callable[[bytes, str], Coroutine[Any, Any, Reading]]
"""(PCM; `ko`, `en` or `auto`) -> its words. Raises `EngineBusy` where finals need the engine."""
ReadingOutcome = Literal["read", "yielded", "dropped", "failed"]
"""What became of a reading: made, given way to finals, outrun by the end of its stretch, failed."""
OnReading = Callable[[ReadingOutcome], None]


def uncounted(_outcome: ReadingOutcome) -> None:
    """Count no reading: an `OnReading` for whoever keeps no figures."""


class GrowingStretch:
    """A stretch's sound as an engine takes it in, and the interim segments of what has come so far."""

    def __init__(
        self,
        stretch: Stretch,
        read: Read | None,
        *,
        longest_s: float,
        on_reading: OnReading = uncounted,
        gives_way: Callable[[], bool] = lambda: False,
    ) -> None:
        """`read` None: no interims. `longest_s`: of more sound than that no reading is made.

        `gives_way` says whether readings have to wait for something else than finals.
        """
        self.chunks: list[bytes] = []
        """All that has come so far; once `interims` is over, the whole stretch."""
        # As they are: they are the track's. A copy that grows beside them leaves holes in the job's heap.
        self._stretch, self._read = stretch, read
        self._on_reading, self._gives_way = on_reading, gives_way
        self._longest_ms = int(longest_s * 1000)
        self._language = stretch.language
        self._agreement = Agreement()
        self._more = asyncio.Event()
        self._sound_bytes = 0
        self._loud_ms = 0
        """The place up to which the sound was not quiet."""
        self._loudest = 0.0
        self._from_ms = 0
        """Where the next reading begins."""
        self._next_ms = _FIRST_MS
        """The next reading is made once there is so much sound."""

    @property
    def _sound_ms(self) -> int:
        return self._sound_bytes // BYTES_PER_MS

    async def interims(self) -> AsyncGenerator[Segment, None]:
        """Take the stretch in to its end, and yield what it says so far. Raises what its sound raises."""
        if self._read is None:
            async for chunk in self._stretch.sound:
                self.chunks.append(chunk)
            return
        taking = asyncio.get_running_loop().create_task(self._take_in(), name="growing-stretch")
        try:
            while not taking.done():
                await self._more.wait()
                self._more.clear()
                if not taking.done() and self._is_due() and await self._look(taking):
                    text = self._agreement.text
                    yield Segment(text.text, 0, self._sound_ms, False, language=None, firm=text.firm)
            await taking
        finally:
            await _ended(taking)

    async def _take_in(self) -> None:
        try:
            async for chunk in self._stretch.sound:
                self.chunks.append(chunk)
                self._sound_bytes += len(chunk)
                loudness = power(chunk)
                self._loudest = max(self._loudest, loudness)
                if loudness > self._loudest * _QUIET_SHARE:
                    self._loud_ms = self._sound_ms
                self._more.set()
        finally:
            self._more.set()

    def _is_due(self) -> bool:
        pauses = self._sound_ms - self._loud_ms >= _PAUSE_MS
        return not pauses and self._next_ms <= self._sound_ms <= self._from_ms + self._longest_ms

    async def _look(self, taking: asyncio.Task[None]) -> bool:
        """Make a reading of the sound so far; whether it says something new."""
        assert self._read is not None
        begun_ms, before = self._sound_ms, self._agreement.text
        if self._gives_way():
            return self._yielded(begun_ms)
        sound = b"".join(self.chunks)[self._from_ms * BYTES_PER_MS :]
        reading = asyncio.get_running_loop().create_task(self._read(sound, self._language))
        try:
            await asyncio.wait({taking, reading}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done() or reading.cancelled():
                self._on_reading("dropped")
                return False
            read = reading.result()
        except EngineBusy:
            return self._yielded(begun_ms)
        except Exception as error:  # noqa: BLE001 - an engine may raise anything, and it costs this reading alone
            self._longest_ms = 0
            self._on_reading("failed")
            _log.info("reading_failed", key=self._stretch.id, error=repr(error))
            return False
        finally:
            await _ended(reading)
        self._on_reading("read")
        self._next_ms = begun_ms + _EVERY_MS
        self._fold(read, begun_ms - self._from_ms)
        return self._agreement.text != before and bool(self._agreement.text.text)

    def _yielded(self, begun_ms: int) -> bool:
        self._next_ms = begun_ms + _AGAIN_MS
        self._on_reading("yielded")
        return False

    def _fold(self, reading: Reading, sound_ms: int) -> None:
        self._agreement.read(reading.words)
        if reading.language is not None and sound_ms >= _SURE_MS:
            self._language = reading.language
        if sound_ms >= _LONG_MS and (end_ms := self._agreement.settle(sound_ms - _KEPT_MS)) is not None:
            self._from_ms += end_ms


async def _ended(task: asyncio.Task[Any]) -> None:
    """End a task, and take note of how it ended."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
