"""Is the engine there, and has it room? What one stretch learns is everybody's: one asks, the rest wait.

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
from typing import Final

import structlog

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
