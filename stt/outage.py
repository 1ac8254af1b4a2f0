"""Is the engine there, and has it room? What one stretch learns is everybody's: one asks, the rest wait.

A server that is down, or whose channels are all taken, has nothing to do with a stretch: its sound is
kept (`LineOptions.kept_s`) and it waits. While it does, one stretch after the other asks again, every
half second for all tracks of a meeting together; the first answer of any kind, an interim or a refusal,
sends all of them off at once. So text comes back within a second, and a server in trouble is not stormed.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

_log = structlog.get_logger(__name__)

ASK_EVERY_S: Final = 0.5
LONGEST_ASK_S: Final = 10.0
"""A server that wants to be left alone for longer (`Retry-After`) is asked all the same."""


class Outage:
    """What a meeting knows of its engine's whereabouts. One per engine and meeting, shared by its tracks."""

    def __init__(self, *, ask_every_s: float = ASK_EVERY_S) -> None:
        self._ask_every_s = ask_every_s
        self.why = ""
        """What the engine said last; empty while it is there."""
        self.since_s: float | None = None
        """Since when, on the event loop's clock."""
        self._ask_at_s = 0.0
        self._over = asyncio.Event()

    @property
    def lasts(self) -> bool:
        """Is it out of reach, or full?"""
        return self.since_s is not None

    def begins(self, why: str, *, ask_after_s: float | None = None) -> None:
        """An attempt found it away or full. Told again by each attempt that finds it so."""
        now_s = asyncio.get_running_loop().time()
        if self.since_s is None:
            self.since_s = now_s
            self._over.clear()
            self._ask_at_s = 0.0
            _log.warning("stt_away", reason=why)
        self.why = why
        pause_s = min(LONGEST_ASK_S, max(self._ask_every_s, ask_after_s or 0.0))
        self._ask_at_s = max(self._ask_at_s, now_s + pause_s)

    def ends(self) -> None:
        """It answered somebody."""
        if self.since_s is None:
            return
        away_s = asyncio.get_running_loop().time() - self.since_s
        _log.info("stt_back", away_s=round(away_s, 1))
        self.since_s, self.why = None, ""
        self._over.set()

    async def turn(self) -> None:
        """Wait until it makes sense to ask: the engine is there, or it is our turn to find out."""
        loop = asyncio.get_running_loop()
        while self.lasts:
            left_s = self._ask_at_s - loop.time()
            if left_s <= 0:
                self._ask_at_s = loop.time() + self._ask_every_s  # the next one's, should ours take long
                return
            try:
                async with asyncio.timeout(left_s):
                    await self._over.wait()
            except TimeoutError:
                continue
