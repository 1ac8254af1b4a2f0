"""Late or only behind? An engine that works through others' requests is given more time, within a bound.

A stretch that waits in the queue of an overloaded engine is no worse off than its neighbours, and a
fresh attempt would only send it to the back: better late than lost. An engine that has finished
nothing for anybody for a while is taken for hung, as ever.

Is the engine there, and has it room? What one stretch learns is everybody's: one asks, the rest wait.

A server that is down, or whose channels are all taken, has nothing to do with a stretch: its sound is
kept (`LineOptions.kept_s`) and it waits. While it does, one stretch after the other asks again, every
half second for all tracks of a meeting together; the first answer of any kind, an interim or a refusal,
sends all of them off at once. Those that have ended ask first: one that still grows may say nothing to the
engine before its end, and its turn would be everybody's lost half second. So text comes back within a second,
and a server in trouble is not stormed.

A server that takes the sound and then says nothing to anybody is away too. There an attempt does not end
by itself, so it is ended: after two seconds at first, then after half of what the silence has lasted, so
that a server that is merely slow gets its answer out in the end; and several ask beside each other, as the
one that came back may answer new questions only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Final, Protocol, runtime_checkable

import structlog

from stt.segment import SpeechEngine

_STEP_S: Final = 5.0
"""More time for each sign of life; also how often one is asked for."""
_HUNG_AFTER_S: Final = 15.0
"""Without any sign of life. One stretch alone takes so long where the machine has no time for its engine."""
_ASK_S: Final = 1.0
"""A sign of life has to come by then."""


@runtime_checkable
class Progressing(Protocol):
    """An engine that tells how far it is."""

    async def done(self) -> int | None:
        """Requests finished so far, anybody's; None where it does not say."""


class Standing:
    """What one stretch knows of its engine's progress, over all its attempts."""

    def __init__(self, engine: SpeechEngine, most_s: float) -> None:
        """`most_s`: what may be added to the stretch's deadline, altogether."""
        self._engine = engine if isinstance(engine, Progressing) else None
        self._left_s = most_s
        self._seen: int | None = None
        self._moved_s = -inf
        """When it was last seen to have finished something."""
        self.gets_on = False
        """When it was last looked at, had it finished something of anybody's within `_HUNG_AFTER_S`?"""

    async def prolong(self, limit: asyncio.Timeout) -> None:
        """Move `limit` as long as the engine gets on. Runs beside the attempt; returns where it may end."""
        loop = asyncio.get_running_loop()
        while self._engine is not None and self._left_s > 0 and (at_s := limit.when()) is not None:
            while (ahead_s := at_s - _ASK_S - loop.time()) > 0:
                await asyncio.sleep(min(_STEP_S, ahead_s))
                if ahead_s > _STEP_S:
                    await self._gets_on()  # what is compared with
            if not await self._gets_on():
                return
            step_s = min(_STEP_S, self._left_s)
            self._left_s -= step_s
            limit.reschedule(at_s + step_s)

    async def _gets_on(self) -> bool:
        """Has the engine just been finishing things?"""
        assert self._engine is not None
        before, now_s = self._seen, asyncio.get_running_loop().time()
        self.gets_on = False
        try:
            async with asyncio.timeout(_ASK_S / 2):
                self._seen = await self._engine.done()
        except Exception:  # noqa: BLE001 - an engine may raise anything, and so tells nothing
            return False
        if self._seen is None:
            return False
        if before is not None and self._seen > before:
            self._moved_s = now_s
        self.gets_on = now_s - self._moved_s <= _HUNG_AFTER_S
        return self.gets_on


_log = structlog.get_logger(__name__)

ASK_EVERY_S: Final = 0.5
LONGEST_ASK_S: Final = 10.0
"""A server that wants to be left alone for longer (`Retry-After`) is asked all the same."""
BRIEF_S: Final = 2.0
"""What an attempt may take at first where the server is silent, beside the length of its sound."""
LONGEST_BRIEF_S: Final = 8.0
_SILENT_ASK_EVERY_S: Final = 2.0
"""At most, between two attempts: what hangs there is work for a server that is only overloaded."""

_ROUNDING_S: Final = 1e-6
"""A moment that is a sum of seconds is reached a little before it."""


class Outage:
    """What a meeting knows of its engine's whereabouts. One per engine and meeting, shared by its tracks."""

    def __init__(self, *, ask_every_s: float = ASK_EVERY_S) -> None:
        self._ask_every_s = ask_every_s
        self.why = ""
        """What the engine said last; empty while it is there."""
        self.since_s: float | None = None
        """Since when, on the event loop's clock."""
        self.signs = 0
        """Signs of life so far: what has not changed since a stretch was sent off has answered nobody."""
        self._silent = False
        """It takes the sound and says nothing; else it is out of reach, or full."""
        self._ask_at_s = 0.0
        self._changed = asyncio.Event()
        self._waiting: list[Callable[[], bool]] = []
        """Who waits for a turn: has its sound ended?"""

    @property
    def lasts(self) -> bool:
        """Is it out of reach, or full?"""
        return self.since_s is not None

    @property
    def brief_s(self) -> float | None:
        """What an attempt may take beside the length of its sound; None where the engine says no itself."""
        if self.since_s is None or not self._silent:
            return None
        silent_s = asyncio.get_running_loop().time() - self.since_s
        return min(LONGEST_BRIEF_S, max(BRIEF_S, silent_s / 2))

    def begins(self, why: str, *, ask_after_s: float | None = None) -> None:
        """An attempt found it away or full. Told again by each attempt that finds it so."""
        now_s = asyncio.get_running_loop().time()
        pause_s = min(LONGEST_ASK_S, max(self._ask_every_s, ask_after_s or 0.0))
        known = self.lasts and not self._silent
        self._note(why, now_s, silent=False)
        self._ask_at_s = max(self._ask_at_s, now_s + pause_s) if known else now_s + pause_s
        self._wake()

    def falls_silent(self, why: str) -> None:
        """An attempt got no answer in time, and nobody else has had one meanwhile."""
        now_s = asyncio.get_running_loop().time()
        if not self.lasts:
            self._ask_at_s = now_s
        self._note(why, now_s, silent=True)

    def ends(self) -> None:
        """It answered somebody."""
        self.signs += 1
        if self.since_s is None:
            return
        away_s = asyncio.get_running_loop().time() - self.since_s
        _log.info("stt_back", away_s=round(away_s, 1))
        self.since_s, self.why = None, ""
        self._wake()

    async def turn(self, ended: Callable[[], bool] = lambda: True) -> None:
        """Wait until it makes sense to ask: the engine is there, or it is our turn to find out.

        `ended`: has the sound ended that is asked about? One that grows lets all others go first.
        """
        self._waiting.append(ended)
        try:
            await self._turn(ended)
        finally:
            self._waiting.remove(ended)
            self._wake()  # who let us go first

    async def _turn(self, ended: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        while self.lasts:
            left_s: float | None = self._ask_at_s - loop.time()
            due = left_s is not None and left_s <= _ROUNDING_S
            if due and not ended() and any(has() for has in self._waiting):
                left_s = None  # theirs, at this very moment
            elif due:
                # the next one's, should ours take long
                self._ask_at_s = loop.time() + min(_SILENT_ASK_EVERY_S, (self.brief_s or 0.0) / 2)
                self._ask_at_s = max(self._ask_at_s, loop.time() + self._ask_every_s)
                return
            try:
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _note(self, why: str, now_s: float, *, silent: bool) -> None:
        if self.since_s is None:
            self.since_s = now_s
            _log.warning("stt_away", reason=why)
        self.why, self._silent = why, silent

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
